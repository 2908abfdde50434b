use super::{not_enough_accounts, require_admin};
use crate::{
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, UpdateConfigArgs, UPDATE_CONFIG},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Replaces the settings.
pub fn update_config(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = UpdateConfigArgs::parse(data)?;
    let [config_account, admin, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    // - the config must be as the admin saw it
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;
    require(config.seq == args.expected_seq, KaratError::StaleSequence)?;

    // arguments
    // - the settings must be valid
    // - the recovery delay must not become shorter: it protects the vaults of partners from the admin
    args.settings.validate()?;
    require(args.settings.recovery_delay.get() >= config.recovery_delay.get(), KaratError::InvalidArgument)?;

    let change = Change { before: config.settings(), after: args.settings };
    config.apply(&args.settings);
    let seq = config.next_seq()?;
    let event = Event::change(UPDATE_CONFIG, &[0; 16], seq, config.market_state, admin.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}
