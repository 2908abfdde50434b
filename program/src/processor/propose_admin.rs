use super::{not_enough_accounts, require_admin};
use crate::{
    event::{Change, Event},
    instruction::{Arguments, ProposeAdminArgs, PROPOSE_ADMIN},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Proposes the next admin; nothing changes until that one accepts. Zero withdraws the proposal.
pub fn propose_admin(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = ProposeAdminArgs::parse(data)?;
    let [config_account, admin, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;

    let change = Change { before: config.pending_admin, after: args.new_admin };
    config.pending_admin = args.new_admin;
    let seq = config.next_seq()?;
    let event = Event::change(PROPOSE_ADMIN, &[0; 16], seq, config.market_state, admin.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}
