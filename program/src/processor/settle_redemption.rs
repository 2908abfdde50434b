use super::{
    escrow::{self, Escrow},
    not_enough_accounts, require_operations,
};
use crate::{
    accounts::{require_address, ESCROW_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, SettleRedemptionArgs, SETTLE_BURN, SETTLE_REDEMPTION, SETTLE_REFUND},
    state::{self, Config, Redemption, ZERO},
    sysvar::unix_timestamp,
    token::{plus, Burn},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Settles a redemption, once: gives its gold back to the user who paid it, or burns it as announced. The account of the redemption is closed
/// by it and its rent goes back to its payer.
pub fn settle_redemption(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SettleRedemptionArgs::parse(data)?;
    let [config_account, operations, rest @ ..] = accounts else {
        return Err(not_enough_accounts());
    };
    let mut escrow = Escrow::parse(rest)?;
    let mut config = state::load_mut::<Config>(config_account, program_id)?;

    // config, operations
    // - the operations key of the config must sign
    // - settlements must not be paused
    require_operations(operations, &config)?;
    require(config.paused & Config::PAUSED_SETTLE == 0, KaratError::Paused)?;

    // redemption, escrow accounts
    // - must be as `Escrow::check` wants them
    //
    // mode
    // - must be known
    let redemption = escrow.check(program_id, &config, &args.id)?;
    let (amount_out, receiver) = match args.mode {
        SETTLE_BURN => {
            burn(&escrow, &mut config, &redemption)?;
            (0, ZERO)
        }
        SETTLE_REFUND => {
            redemption.require_refundable()?;
            escrow.pay_back(&mut config, &redemption)?;
            (redemption.amount.get(), redemption.user)
        }
        _ => return Err(KaratError::InvalidArgument.into()),
    };

    let seq = config.next_seq()?;
    let (partner_id, market_state) = (&redemption.partner_id, config.market_state);
    let event = Event::change(SETTLE_REDEMPTION, partner_id, seq, market_state, operations.address())
        .with_transfer(redemption.amount.get(), amount_out, &receiver)
        .with_id(&redemption.id);
    drop(config);
    event.emit(config_account, escrow.program)?;
    escrow.close()
}

/// destination
/// - must be the escrow's account itself, because nothing is received
///
/// redemption
/// - must have its burn announced, long enough ago and not too long
#[inline(never)]
fn burn(escrow: &Escrow, config: &mut Config, redemption: &Redemption) -> ProgramResult {
    require_address(escrow.destination, &config.escrow_gold)?;
    redemption.require_burnable(unix_timestamp()?)?;
    let amount = redemption.amount.get();
    escrow::take(config, amount)?;
    config.burned_total = plus(config.burned_total.get(), amount)?.into();
    let bump = [config.escrow_bump];
    let seeds = [Seed::from(ESCROW_SEED), Seed::from(&bump)];
    let (from, mint, authority) = (escrow.escrow_gold, escrow.gold_mint, escrow.escrow_authority);
    Burn { from, mint, authority, amount }.invoke_signed(&seeds, KaratError::EscrowShort)
}
