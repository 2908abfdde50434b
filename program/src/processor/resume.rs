use super::{not_enough_accounts, pause::pause_state, require_admin};
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, ResumeArgs, RESUME},
    state::{self, Config, I64},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Clears pause bits, if nothing was paused since the admin looked. While a pause of the treasury lasts, it takes the guardian too: it is
/// there for a stolen admin key.
pub fn resume(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = ResumeArgs::parse(data)?;
    let [config_account, admin, guardian, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    // - the pauses must be as the admin saw them
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;
    require(config.pause_seq == args.expected_pause_seq, KaratError::StaleSequence)?;

    // mask
    // - must be known bits, at least one
    Config::require_pause_mask(args.mask)?;

    // guardian
    // - must be the one of the config and sign, to end a pause of the treasury before its time
    let before = pause_state(&config);
    if args.mask & Config::PAUSED_TREASURY != 0 {
        if config.is_treasury_paused(unix_timestamp()?) {
            require(guardian.address() == &config.settings.guardian, KaratError::Unauthorized)?;
            require_signer(guardian)?;
        }
        config.treasury_paused_until = I64::ZERO;
    }

    config.paused &= !args.mask;
    let seq = config.next_pause_seq()?;
    let change = Change { before, after: pause_state(&config) };
    let event = Event::change(RESUME, &[0; 16], seq, config.market_state, admin.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}
