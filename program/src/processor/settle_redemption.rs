use super::{not_enough_accounts, require_escrow_accounts};
use crate::{
    accounts::{close_account, require_address, require_distinct, require_signer, ESCROW_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, SettleRedemptionArgs, SETTLE_BURN, SETTLE_REDEMPTION, SETTLE_REFUND},
    state::{self, Config, Redemption, ZERO},
    token::{owned_balance, Burn, Transfer},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// Settles a redemption, once: gives its gold back to the user who paid it, or burns it. The account of the redemption is closed by it and
/// its rent goes back to its payer.
pub fn settle_redemption(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SettleRedemptionArgs::parse(data)?;
    let [config_account, operations, redemption_account, rent_payer, escrow_authority, escrow_gold, gold_mint, destination, token_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    let redemption = *state::load::<Redemption>(redemption_account, program_id)?;
    let mut config = state::load_mut::<Config>(config_account, program_id)?;

    // config, operations
    // - the operations key of the config must sign
    // - settlements must not be paused
    require_signer(operations)?;
    require(config.is_operations(operations.address()), KaratError::Unauthorized)?;
    require(config.paused & Config::PAUSED_SETTLE == 0, KaratError::Paused)?;

    // redemption
    // - must be open, which its account shows
    // - must be the one that is named
    //
    // rent payer
    // - must be the one of the redemption
    require(redemption.id == args.id, KaratError::InvalidAddress)?;
    require_address(rent_payer, &redemption.rent_payer)?;
    require_distinct(&[rent_payer.address(), redemption_account.address()])?;

    // token program, mint, escrow accounts
    // - must be SPL Token, and those of the config
    // - must hold the gold of the redemption
    require_address(escrow_authority, &config.escrow_authority)?;
    require_escrow_accounts(&config, escrow_gold, gold_mint, token_program)?;
    let amount = redemption.amount.get();
    let receiver = require_destination(args.mode, destination, &redemption, &config)?;

    let open = config.escrow_open.get().checked_sub(amount).ok_or(KaratError::ArithmeticOverflow)?;
    config.escrow_open.set(open);
    let seq = config.next_escrow_seq()?;
    close_account(redemption_account, rent_payer)?;
    let bump = [config.escrow_bump];
    let seeds = [Seed::from(ESCROW_SEED), Seed::from(&bump)];
    let (from, mint, authority) = (&*escrow_gold, &*gold_mint, &*escrow_authority);
    let amount_out = if args.mode == SETTLE_BURN {
        Burn { from, mint, authority, amount }.invoke_signed(&seeds, KaratError::EscrowShort)?;
        0
    } else {
        Transfer { from, mint, to: destination, authority, amount }.pay_out(&seeds, KaratError::EscrowShort)?;
        amount
    };
    let market_state = config.market_state;
    drop(config);
    Event::change(SETTLE_REDEMPTION, &redemption.partner_id, seq, market_state, operations.address())
        .with_transfer(amount, amount_out, &receiver)
        .with_id(&redemption.id)
        .emit(config_account, program)
}

/// The owner of the destination, zero for none.
///
/// mode
/// - must be known
///
/// destination
/// - burn: must be the escrow's account itself, because nothing is received
/// - refund: must be a GOLD account of the user who paid
fn require_destination(
    mode: u8,
    destination: &AccountView,
    redemption: &Redemption,
    config: &Config,
) -> Result<Address, ProgramError> {
    match mode {
        SETTLE_BURN => {
            require_address(destination, &config.escrow_gold)?;
            Ok(ZERO)
        }
        SETTLE_REFUND => {
            require(destination.address() != &config.escrow_gold, KaratError::AccountAlias)?;
            owned_balance(destination, &config.gold_mint, &redemption.user)?;
            Ok(redemption.user)
        }
        _ => Err(KaratError::InvalidArgument.into()),
    }
}
