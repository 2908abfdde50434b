use super::{not_enough_accounts, require_admin};
use crate::{
    error::{require, KaratError},
    event::{Event, KeyReplaced},
    instruction::{Arguments, ReplaceKeyArgs, REPLACE_KEY},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Replaces a hot key at once. That the old key holds the role is all that it depends on: nothing that its thief does can outdate it.
pub fn replace_key(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = ReplaceKeyArgs::parse(data)?;
    let [config_account, admin, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;

    // old, new
    // - must differ
    // - the first must hold the role; zero is an empty place
    // - the second must leave the roles apart that the config keeps apart; zero empties the place
    let (before, after) = (args.old, args.new);
    require(before != after, KaratError::InvalidArgument)?;
    *config.hot_keys.place_of(args.role, &before)? = after;
    config.require_separate_roles(&config.admin, &config.settings)?;

    let seq = config.next_settings_seq()?;
    let event = Event::change(REPLACE_KEY, &[0; 16], seq, config.market_state, admin.address());
    drop(config);
    event.emit_with(&KeyReplaced { role: args.role, before, after }, config_account, program)
}
