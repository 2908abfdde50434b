use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, SetStatusArgs, SET_STATUS},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Sets the pause flags and the state of the market.
pub fn set_status(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SetStatusArgs::parse(data)?;
    let [config, authority, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the guardian or the admin
    let mut config = state::load_mut::<Config>(config, program_id)?;
    require_signer(authority)?;
    let allowed = authority.address() == &config.guardian || authority.address() == &config.admin;
    require(allowed, KaratError::Unauthorized)?;

    // arguments
    // - must be known flags and a known state
    let known = args.paused <= Config::PAUSED_ALL && args.market_state <= Config::MARKET_CLOSED;
    require(known, KaratError::InvalidArgument)?;

    config.paused = args.paused;
    config.market_state = args.market_state;
    let seq = config.next_seq()?;
    Event::change(SET_STATUS, &[0; 16], seq, config.market_state, authority.address()).log();
    Ok(())
}
