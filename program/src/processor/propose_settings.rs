use super::{not_enough_accounts, require_admin};
use crate::{
    accounts::{
        find_address, require_address, require_signer, NewAccount, PROPOSAL_SEED, SYSTEM_PROGRAM_ID,
    },
    error::{require, KaratError},
    event::{Event, ProposedSettings},
    instruction::{Arguments, ProposeSettingsArgs, PROPOSE_SETTINGS},
    state::{self, is_expired, Config, SettingsProposal, State},
    sysvar::unix_timestamp,
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Writes down the complete new settings, which anybody can apply once the delay of the present ones is over. One that has expired is
/// replaced in place: its rent stays that of its payer.
pub fn propose_settings(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = ProposeSettingsArgs::parse(data)?;
    let [payer, admin, config_account, proposal_account, system_program, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // payer, admin
    // - must sign
    // - the second must be the admin of the config
    //
    // config
    // - must be as the admin saw it
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(payer)?;
    require_admin(admin, &config)?;
    require(config.settings_seq == args.expected_settings_seq, KaratError::StaleSequence)?;
    require_address(system_program, &SYSTEM_PROGRAM_ID)?;

    // arguments
    // - the settings must be valid, also beside the other keys of the config
    // - another guardian must be the only change
    args.settings.validate()?;
    config.require_separate_roles(&config.admin, &args.settings)?;
    args.settings.require_one_purpose(&config.settings)?;

    // proposal
    // - must be the canonical PDA, so that there is one only
    // - must not exist yet, unless it has expired
    let now = unix_timestamp()?;
    let (address, bump) = find_address(&[PROPOSAL_SEED], program_id)?;
    require_address(proposal_account, &address)?;
    if proposal_account.owned_by(program_id) {
        let present = state::load::<SettingsProposal>(proposal_account, program_id)?;
        require(is_expired(present.ready_at.get(), now), KaratError::ProposalPending)?;
    } else {
        let bump_seed = [bump];
        let seeds = [Seed::from(PROPOSAL_SEED), Seed::from(&bump_seed)];
        let account = &*proposal_account;
        NewAccount { payer, account, size: SettingsProposal::SIZE, program_id, seeds: &seeds }.create()?;
        let mut proposal = state::load_new::<SettingsProposal>(proposal_account)?;
        proposal.bump = bump;
        proposal.rent_payer = *payer.address();
    }

    let delay = config.settings.change_delay.get() as i64;
    let ready_at = now.checked_add(delay).ok_or(KaratError::ArithmeticOverflow)?.into();
    let mut proposal = state::load_mut::<SettingsProposal>(proposal_account, program_id)?;
    proposal.ready_at = ready_at;
    proposal.settings = args.settings;
    let seq = config.next_seq()?;
    let event = Event::change(PROPOSE_SETTINGS, &[0; 16], seq, config.market_state, admin.address());
    drop(config);
    event.emit_with(&ProposedSettings { ready_at, settings: args.settings }, config_account, program)
}
