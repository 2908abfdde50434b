use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{AdminChange, Event},
    instruction::{Arguments, NoArgs, ACCEPT_ADMIN},
    state::{self, is_zero, require_due, Config, Proposal, I64},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Completes the hand-over: the proposed admin shows that it can sign, and replaces the admin.
pub fn accept_admin(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    NoArgs::parse(data)?;
    let [config_account, new_admin, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // new_admin
    // - must sign
    // - must be the proposed admin; an empty proposal can't be accepted
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(new_admin)?;
    let Proposal { key, ready_at } = config.admin_proposal;
    require(!is_zero(&key) && new_admin.address() == &key, KaratError::Unauthorized)?;

    // proposal
    // - its time must have come, and not be over by 14 days
    // - must still leave the roles apart that the config keeps apart
    require_due(ready_at.get(), unix_timestamp()?)?;
    let change = AdminChange { before: config.admin, after: key, ready_at: I64::ZERO };
    config.admin = key;
    config.admin_proposal = Proposal::NONE;
    config.require_separate_roles(&key, &config.settings)?;

    let seq = config.next_settings_seq()?;
    let event = Event::change(ACCEPT_ADMIN, &[0; 16], seq, config.market_state, &key);
    drop(config);
    event.emit_with(&change, config_account, program)
}
