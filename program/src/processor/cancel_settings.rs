use super::{not_enough_accounts, require_guardian_or_admin};
use crate::{
    accounts::{close_account, require_address, require_distinct},
    error::{require, KaratError},
    event::{Event, ProposedSettings},
    instruction::{Arguments, NoArgs, CANCEL_SETTINGS},
    state::{self, Config, SettingsProposal},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Withdraws the proposed settings; the rent goes back to the payer of the proposal.
pub fn cancel_settings(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    NoArgs::parse(data)?;
    let [config_account, authority, proposal_account, rent_payer, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };
    let proposal = *state::load::<SettingsProposal>(proposal_account, program_id)?;
    let mut config = state::load_mut::<Config>(config_account, program_id)?;

    // authority
    // - must sign
    // - must be the guardian or the admin; the guardian cannot cancel its own replacement
    require_guardian_or_admin(authority, &config)?;
    let is_admin = authority.address() == &config.admin;
    require(is_admin || !proposal.settings.replaces_guardian(&config.settings), KaratError::Unauthorized)?;

    // rent payer
    // - must be the one of the proposal
    require_address(rent_payer, &proposal.rent_payer)?;
    require_distinct(&[rent_payer.address(), proposal_account.address()])?;

    let seq = config.next_seq()?;
    let event = Event::change(CANCEL_SETTINGS, &[0; 16], seq, config.market_state, authority.address());
    drop(config);
    let SettingsProposal { ready_at, settings, .. } = proposal;
    event.emit_with(&ProposedSettings { ready_at, settings }, config_account, program)?;
    close_account(proposal_account, rent_payer)
}
