use super::{not_enough_accounts, require_guardian_or_admin};
use crate::{
    error::{require, KaratError},
    event::{AdminChange, Event},
    instruction::{Arguments, NoArgs, CANCEL_ADMIN},
    state::{self, is_zero, Config, Proposal, I64, ZERO},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Withdraws the proposal of another admin.
pub fn cancel_admin(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    NoArgs::parse(data)?;
    let [config_account, authority, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the guardian or the admin
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_guardian_or_admin(authority, &config)?;

    // proposal
    // - must be there
    let before = config.admin_proposal.key;
    require(!is_zero(&before), KaratError::NothingProposed)?;

    config.admin_proposal = Proposal::NONE;
    let seq = config.next_seq()?;
    let event = Event::change(CANCEL_ADMIN, &[0; 16], seq, config.market_state, authority.address());
    drop(config);
    event.emit_with(&AdminChange { before, after: ZERO, ready_at: I64::ZERO }, config_account, program)
}
