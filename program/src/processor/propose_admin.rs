use super::{not_enough_accounts, require_admin};
use crate::{
    error::{require, KaratError},
    event::{AdminChange, Event},
    instruction::{Arguments, ProposeAdminArgs, PROPOSE_ADMIN},
    state::{self, is_zero, Config, Proposal},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Proposes the next admin, who can accept once the delay of the settings is over. It takes the place of what was proposed before.
pub fn propose_admin(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = ProposeAdminArgs::parse(data)?;
    let [config_account, admin, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;

    // new admin
    // - must be set
    // - must not be the present one
    // - must leave the roles apart that the config keeps apart, as it must again when it accepts
    let key = args.new_admin;
    require(!is_zero(&key) && key != config.admin, KaratError::InvalidArgument)?;
    config.require_separate_roles(&key, &config.settings)?;

    let delay = config.settings.change_delay.get() as i64;
    let ready_at = unix_timestamp()?.checked_add(delay).ok_or(KaratError::ArithmeticOverflow)?.into();
    let change = AdminChange { before: config.admin_proposal.key, after: key, ready_at };
    config.admin_proposal = Proposal { key, ready_at };
    let seq = config.next_seq()?;
    let event = Event::change(PROPOSE_ADMIN, &[0; 16], seq, config.market_state, admin.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}
