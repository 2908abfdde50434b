use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, UpdateExecutivesArgs, UPDATE_EXECUTIVES},
    state::{self, listed, Config, Integrator},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Removes and adds executive authorities of a partner, by order of its update authority alone: a partner that lost an executive key can replace
/// it while the partner is suspended or anything is paused.
pub fn update_executives(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = UpdateExecutivesArgs::parse(data)?;
    let [config, integrator, update_authority, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    let market_state = state::load::<Config>(config, program_id)?.market_state;

    // update_authority
    // - must sign
    // - must be the update authority of the integrator
    let mut integrator = state::load_mut::<Integrator>(integrator, program_id)?;
    require_signer(update_authority)?;
    require(update_authority.address() == &integrator.update_authority, KaratError::Unauthorized)?;

    // remove, add
    // - must each be unique and set
    // - must not both be empty
    // - must not share an address
    let remove = listed(args.remove_count, &args.remove)?;
    let add = listed(args.add_count, &args.add)?;
    require(!remove.is_empty() || !add.is_empty(), KaratError::InvalidArgument)?;
    let disjoint = !add.iter().any(|executive| remove.contains(executive));
    require(disjoint, KaratError::InvalidArgument)?;

    let before = integrator.listed_executives();
    integrator.change_executives(remove, add)?;
    let change = Change { before, after: integrator.listed_executives() };
    let seq = integrator.next_seq()?;
    let (id, actor) = (&integrator.partner_id, update_authority.address());
    let event = Event::change(UPDATE_EXECUTIVES, id, seq, market_state, actor);
    drop(integrator);
    event.emit_with(&change, config, program)
}
