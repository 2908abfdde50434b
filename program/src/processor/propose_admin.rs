use super::{not_enough_accounts, require_admin};
use crate::{
    event::Event,
    instruction::{Arguments, ProposeAdminArgs, PROPOSE_ADMIN},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Proposes the next admin; nothing changes until that one accepts. Zero withdraws the proposal.
pub fn propose_admin(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = ProposeAdminArgs::parse(data)?;
    let [config, admin, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config, program_id)?;
    require_admin(admin, &config)?;

    config.pending_admin = args.new_admin;
    let seq = config.next_seq()?;
    Event::change(PROPOSE_ADMIN, &[0; 16], seq, config.market_state, admin.address()).log();
    Ok(())
}
