use super::{not_enough_accounts, require_admin, treasury_withdraw::require_outside};
use crate::{
    accounts::{require_address, ESCROW_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, SettleEscrowArgs, SETTLE_BURN, SETTLE_ESCROW, SETTLE_REFUND, SETTLE_TREASURY},
    state::{self, Config, ZERO},
    token::{owned_balance, Burn, Transfer, TOKEN_PROGRAM_ID},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// Settles redeemed gold in escrow, on the word of the admin: burns it, refunds it, or takes it into the treasury. The program doesn't know
/// redemptions: that each is settled once is the service's to see to, by the reference, which is the id of the event.
pub fn settle_escrow(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SettleEscrowArgs::parse(data)?;
    let [config_account, admin, escrow_authority, escrow_gold, gold_mint, destination, token_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;

    // token program, mint, escrow accounts
    // - must be SPL Token, and those of the config
    // - the second must be a token account of the escrow
    require(token_program.address() == &TOKEN_PROGRAM_ID, KaratError::InvalidTokenProgram)?;
    require(gold_mint.address() == &config.gold_mint, KaratError::InvalidMint)?;
    require_address(escrow_authority, &config.escrow_authority)?;
    require_address(escrow_gold, &config.escrow_gold)?;
    owned_balance(escrow_gold, &config.gold_mint, &config.escrow_authority)?;

    // amount
    // - must be positive
    // - must be in escrow
    let receiver = require_destination(args.mode, destination, &config)?;
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;

    let seq = config.next_seq()?;
    let bump = [config.escrow_bump];
    let seeds = [Seed::from(ESCROW_SEED), Seed::from(&bump)];
    let (from, mint, authority) = (&*escrow_gold, &*gold_mint, &*escrow_authority);
    let amount_out = if args.mode == SETTLE_BURN {
        Burn { from, mint, authority, amount }.invoke_signed(&seeds, KaratError::InsufficientFunds)?;
        0
    } else {
        Transfer { from, mint, to: destination, authority, amount }.pay_out(&seeds, KaratError::InsufficientFunds)?;
        amount
    };
    let market_state = config.market_state;
    drop(config);
    Event::change(SETTLE_ESCROW, &[0; 16], seq, market_state, admin.address())
        .with_transfer(amount, amount_out, &receiver)
        .with_id(&args.reference)
        .emit(config_account, program)
}

/// The owner of the destination, zero for none.
///
/// mode
/// - must be known
///
/// destination
/// - burn: must be the escrow's account itself, because nothing is received
/// - refund: must be outside the house
/// - treasury: must be the treasury's account
fn require_destination(mode: u8, destination: &AccountView, config: &Config) -> Result<Address, ProgramError> {
    match mode {
        SETTLE_BURN => {
            require_address(destination, &config.escrow_gold)?;
            Ok(ZERO)
        }
        SETTLE_REFUND => require_outside(destination, &config.gold_mint, config),
        SETTLE_TREASURY => {
            require_address(destination, &config.treasury_gold)?;
            owned_balance(destination, &config.gold_mint, &config.treasury_authority)?;
            Ok(config.treasury_authority)
        }
        _ => Err(KaratError::InvalidArgument.into()),
    }
}
