use super::{not_enough_accounts, require_guardian_or_admin};
use crate::{
    event::{Change, Event, PauseState},
    instruction::{Arguments, PauseArgs, PAUSE},
    state::{self, Config},
    sysvar::unix_timestamp,
};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// A pause of the treasury is prolonged by at least this, seconds: repeating it all the time changes nothing.
const SHORTEST_EXTENSION: i64 = 3_600;

/// Sets pause bits; those that are set already stay so. What is paused already succeeds, is not counted and has no event.
pub fn pause(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = PauseArgs::parse(data)?;
    let [config_account, authority, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the guardian or the admin
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_guardian_or_admin(authority, &config)?;

    // mask
    // - must be known bits, at least one
    Config::require_pause_mask(args.mask)?;

    let before = pause_state(&config);
    config.paused |= args.mask;
    let extended = extend_treasury_pause(&mut config, args.mask)?;
    if config.paused == before.paused && !extended {
        return Ok(());
    }
    let seq = config.next_pause_seq()?;
    let change = Change { before, after: pause_state(&config) };
    let event = Event::change(PAUSE, &[0; 16], seq, config.market_state, authority.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}

/// Moves the end of a pause of the treasury to seven days from now; whether it did.
fn extend_treasury_pause(config: &mut Config, mask: u8) -> Result<bool, ProgramError> {
    if mask & Config::PAUSED_TREASURY == 0 {
        return Ok(false);
    }
    let until = unix_timestamp()?.saturating_add(Config::TREASURY_PAUSE);
    let extended = until > config.treasury_paused_until.get().saturating_add(SHORTEST_EXTENSION);
    if extended {
        config.treasury_paused_until.set(until);
    }
    Ok(extended)
}

/// What is paused, as events report it.
pub(super) fn pause_state(config: &Config) -> PauseState {
    PauseState { paused: config.paused, treasury_paused_until: config.treasury_paused_until }
}
