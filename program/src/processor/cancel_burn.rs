use super::{not_enough_accounts, require_guardian_or_admin};
use crate::{
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, RedemptionArgs, CANCEL_BURN},
    state::{self, Config, Redemption, I64},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Withdraws the announcement of a burn.
pub fn cancel_burn(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = RedemptionArgs::parse(data)?;
    let [config_account, authority, redemption, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the guardian or the admin
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_guardian_or_admin(authority, &config)?;

    // redemption
    // - must be the one that is named
    // - must have a burn announced
    let mut redemption = state::load_mut::<Redemption>(redemption, program_id)?;
    require(redemption.id == args.id, KaratError::InvalidAddress)?;
    require(redemption.burn_ready_at != I64::ZERO, KaratError::BurnNotAnnounced)?;

    redemption.burn_ready_at = I64::ZERO;
    let seq = config.next_seq()?;
    let event = Event::change(CANCEL_BURN, &redemption.partner_id, seq, config.market_state, authority.address())
        .with_id(&args.id);
    drop(config);
    event.emit(config_account, program)
}
