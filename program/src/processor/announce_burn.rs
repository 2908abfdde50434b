use super::{not_enough_accounts, require_operations};
use crate::{
    error::{require, KaratError},
    event::{BurnAnnounced, Event},
    instruction::{Arguments, RedemptionArgs, ANNOUNCE_BURN},
    state::{self, Config, Redemption},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Announces that the gold of a redemption is to be burned, because its metal was handed out. The guardian has the delay of the settings to
/// object.
pub fn announce_burn(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = RedemptionArgs::parse(data)?;
    let [config_account, operations, redemption, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, operations
    // - the operations key of the config must sign
    // - settlements must not be paused
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_operations(operations, &config)?;
    require(config.paused & Config::PAUSED_SETTLE == 0, KaratError::Paused)?;

    // redemption
    // - must be the one that is named
    // - its burn must be one that can be announced
    let now = unix_timestamp()?;
    let mut redemption = state::load_mut::<Redemption>(redemption, program_id)?;
    require(redemption.id == args.id, KaratError::InvalidAddress)?;
    redemption.require_announceable(now)?;

    let delay = config.settings.burn_delay.get() as i64;
    let ready_at = now.checked_add(delay).ok_or(KaratError::ArithmeticOverflow)?.into();
    redemption.burn_ready_at = ready_at;
    redemption.was_announced = 1;
    let seq = config.next_seq()?;
    let event = Event::change(ANNOUNCE_BURN, &redemption.partner_id, seq, config.market_state, operations.address())
        .with_id(&args.id);
    drop(config);
    event.emit_with(&BurnAnnounced { ready_at }, config_account, program)
}
