use super::{not_enough_accounts, require_admin};
use crate::{
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, ResumeArgs, RESUME},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Clears pause bits, if nothing has changed since the admin looked: a pause that came meanwhile stands.
pub fn resume(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = ResumeArgs::parse(data)?;
    let [config_account, admin, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    // - the config must be as the admin saw it
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;
    require(config.seq == args.expected_seq, KaratError::StaleSequence)?;

    // mask
    // - must be known bits, at least one
    require(Config::is_pause_mask(args.mask), KaratError::InvalidArgument)?;

    let before = config.paused;
    config.paused &= !args.mask;
    let seq = config.next_seq()?;
    let change = Change { before, after: config.paused };
    let market_state = config.market_state;
    drop(config);
    Event::change(RESUME, &[0; 16], seq, market_state, admin.address()).emit_with(&change, config_account, program)
}
