use super::not_enough_accounts;
use crate::{
    accounts::{close_account, require_address, require_distinct},
    event::{Change, Event},
    instruction::{Arguments, NoArgs, APPLY_SETTINGS},
    state::{self, require_due, Config, SettingsProposal},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Replaces the settings by the proposed ones, whoever calls: the delay was the time to object. The proposal is closed, its rent goes back to
/// its payer.
pub fn apply_settings(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    NoArgs::parse(data)?;
    let [config_account, proposal_account, rent_payer, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };
    let proposal = *state::load::<SettingsProposal>(proposal_account, program_id)?;
    let mut config = state::load_mut::<Config>(config_account, program_id)?;

    // rent payer
    // - must be the one of the proposal
    require_address(rent_payer, &proposal.rent_payer)?;
    require_distinct(&[rent_payer.address(), proposal_account.address()])?;

    // proposal
    // - its time must have come, and not be over by 14 days
    // - must still be valid, also beside the keys that the config has by now
    // - another guardian must be the only change
    require_due(proposal.ready_at.get(), unix_timestamp()?)?;
    proposal.settings.validate()?;
    config.require_separate_roles(&config.admin, &proposal.settings)?;
    proposal.settings.require_one_purpose(&config.settings)?;

    let change = Change { before: config.settings, after: proposal.settings };
    config.settings = proposal.settings;
    let seq = config.next_settings_seq()?;
    // Nobody has to sign: the event names whoever paid for the proposal.
    let event = Event::change(APPLY_SETTINGS, &[0; 16], seq, config.market_state, rent_payer.address());
    drop(config);
    event.emit_with(&change, config_account, program)?;
    close_account(proposal_account, rent_payer)
}
