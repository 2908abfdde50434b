use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{AcceptAdminArgs, Arguments, ACCEPT_ADMIN},
    state::{self, is_zero, Config, ZERO},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Completes the hand-over: the proposed admin shows that it can sign, and replaces the admin.
pub fn accept_admin(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    AcceptAdminArgs::parse(data)?;
    let [config_account, pending_admin, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // pending_admin
    // - must sign
    // - must be the proposed admin; an empty proposal can't be accepted
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(pending_admin)?;
    let proposed = !is_zero(&config.pending_admin) && pending_admin.address() == &config.pending_admin;
    require(proposed, KaratError::Unauthorized)?;

    let change = Change { before: config.admin, after: *pending_admin.address() };
    config.admin = change.after;
    config.pending_admin = ZERO;
    let seq = config.next_seq()?;
    let event = Event::change(ACCEPT_ADMIN, &[0; 16], seq, config.market_state, pending_admin.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}
