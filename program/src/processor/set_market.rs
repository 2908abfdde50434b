use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, SetMarketArgs, SET_MARKET},
    state::{self, is_zero, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Opens or closes the market; pauses are none of its business. A market that is in that state already succeeds, and has no event.
pub fn set_market(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SetMarketArgs::parse(data)?;
    let [config_account, authority, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the market key or the admin
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(authority)?;
    let key = authority.address();
    let market = &config.hot_keys.market;
    let is_market = !is_zero(market) && key == market;
    require(is_market || key == &config.admin, KaratError::Unauthorized)?;

    // state
    // - must be a known one
    require(args.market_state <= Config::MARKET_CLOSED, KaratError::InvalidArgument)?;

    let before = config.market_state;
    if before == args.market_state {
        return Ok(());
    }
    config.market_state = args.market_state;
    let seq = config.next_seq()?;
    let change = Change { before, after: config.market_state };
    let market_state = config.market_state;
    drop(config);
    Event::change(SET_MARKET, &[0; 16], seq, market_state, authority.address()).emit_with(&change, config_account, program)
}
