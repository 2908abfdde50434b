use super::{not_enough_accounts, require_operations_or_admin};
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, PauseArgs, PAUSE},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Sets pause bits; those that are set already stay so.
pub fn pause(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = PauseArgs::parse(data)?;
    let [config_account, authority, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the guardian, operations or the admin
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(authority)?;
    if authority.address() != &config.guardian {
        require_operations_or_admin(authority, &config)?;
    }

    // mask
    // - must be known bits, at least one
    require(Config::is_pause_mask(args.mask), KaratError::InvalidArgument)?;

    let before = config.paused;
    config.paused |= args.mask;
    let seq = config.next_seq()?;
    let change = Change { before, after: config.paused };
    let market_state = config.market_state;
    drop(config);
    Event::change(PAUSE, &[0; 16], seq, market_state, authority.address()).emit_with(&change, config_account, program)
}
