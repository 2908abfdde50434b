use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{Change, Event, Status},
    instruction::{Arguments, SetStatusArgs, SET_STATUS},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Sets the pause flags and the state of the market.
pub fn set_status(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SetStatusArgs::parse(data)?;
    let [config_account, authority, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the guardian or the admin
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(authority)?;
    let allowed = authority.address() == &config.guardian || authority.address() == &config.admin;
    require(allowed, KaratError::Unauthorized)?;

    // arguments
    // - must be known flags and a known state
    let known = args.paused <= Config::PAUSED_ALL && args.market_state <= Config::MARKET_CLOSED;
    require(known, KaratError::InvalidArgument)?;

    let before = Status { paused: config.paused, market_state: config.market_state };
    let after = Status { paused: args.paused, market_state: args.market_state };
    config.paused = after.paused;
    config.market_state = after.market_state;
    let seq = config.next_seq()?;
    drop(config);
    Event::change(SET_STATUS, &[0; 16], seq, after.market_state, authority.address()).emit_with(
        &Change { before, after },
        config_account,
        program,
    )
}
