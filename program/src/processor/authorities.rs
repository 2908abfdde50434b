use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{AuthorityChange, Event},
    instruction::{
        Arguments, AuthorityArgs, APPLY_AUTHORITY, CANCEL_AUTHORITY, HAND_OVER_AUTHORITY, PROPOSE_AUTHORITY,
    },
    state::{self, is_zero, require_due, Config, Integrator, Proposal, ZERO},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// What changes who acts for a partner: its wallet, its update or its withdrawal authority. The key itself hands its role over; for a key that
/// was lost or stolen the admin proposes another, which it can apply after the delay of the settings. A partner refuses a proposal with two of
/// its keys: the thief of one of them cannot. None of it looks at pauses or at the status of the partner, because a key is to be replaced at
/// any time. `kind` is the instruction's number.
pub fn change_authority(program_id: &Address, accounts: &mut [AccountView], data: &[u8], kind: u8) -> ProgramResult {
    let args = AuthorityArgs::parse(data)?;
    let (config_account, integrator, signer, second, program) = match accounts {
        [config, integrator, signer, second, program, ..] if kind == CANCEL_AUTHORITY => {
            (config, integrator, signer, Some(&*second), program)
        }
        [config, integrator, signer, program, ..] if kind != CANCEL_AUTHORITY => {
            (config, integrator, signer, None, program)
        }
        _ => return Err(not_enough_accounts()),
    };
    let config = state::load::<Config>(config_account, program_id)?;
    let (market_state, delay) = (config.market_state, config.settings.recovery_delay.get() as i64);
    let is_admin = signer.address() == &config.admin;
    drop(config); // the same account given twice is then refused by its kind
    let mut integrator = state::load_mut::<Integrator>(integrator, program_id)?;

    // signer
    // - must sign
    // - hand over: must be the authority that is handed over
    // - propose, apply: must be the admin of the config
    // - cancel: must be the admin, or the authority that is to be replaced, with a second key of the partner
    require_signer(signer)?;
    let key = signer.address();
    let present = *integrator.authority(args.role)?;
    let allowed = match (kind, second) {
        (HAND_OVER_AUTHORITY, _) => key == &present,
        (CANCEL_AUTHORITY, Some(second)) => is_admin || (key == &present && is_second(second, key, &integrator)),
        _ => is_admin,
    };
    require(allowed, KaratError::Unauthorized)?;

    let proposal = integrator.proposal_mut(args.role)?;
    let proposed = *proposal;
    let mut change = AuthorityChange { role: args.role, before: present, after: args.key, ready_at: 0.into() };
    match kind {
        PROPOSE_AUTHORITY => {
            require_new(&args.key, &present)?;
            let ready_at = unix_timestamp()?.checked_add(delay).ok_or(KaratError::ArithmeticOverflow)?;
            *proposal = Proposal { key: args.key, ready_at: ready_at.into() };
            (change.before, change.ready_at) = (proposed.key, ready_at.into());
        }
        CANCEL_AUTHORITY => {
            proposed.require_key(&args.key)?;
            *proposal = Proposal::NONE;
            (change.before, change.after) = (proposed.key, ZERO);
        }
        APPLY_AUTHORITY => {
            // proposal
            // - its time must have come, and not be over by 14 days
            proposed.require_key(&args.key)?;
            require_due(proposed.ready_at.get(), unix_timestamp()?)?;
            change.ready_at = proposed.ready_at;
            *proposal = Proposal::NONE;
            integrator.set_authority(args.role, &args.key);
        }
        _ => {
            require_new(&args.key, &present)?;
            integrator.set_authority(args.role, &args.key);
        }
    }
    let seq = integrator.next_seq()?;
    let event = Event::change(kind, &integrator.partner_id, seq, market_state, key);
    drop(integrator);
    event.emit_with(&change, config_account, program)
}

/// second
/// - must sign
/// - must be another key of the partner than the first: its wallet, its update or its withdrawal authority
fn is_second(second: &AccountView, first: &Address, integrator: &Integrator) -> bool {
    let key = second.address();
    second.is_signer() && key != first && integrator.is_authority(key)
}

/// new key
/// - must be set
/// - must not be the present one
fn require_new(key: &Address, present: &Address) -> ProgramResult {
    require(!is_zero(key) && key != present, KaratError::InvalidArgument)
}
