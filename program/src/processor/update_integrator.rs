use super::{not_enough_accounts, require_operations_or_admin};
use crate::{
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, UpdateIntegratorArgs, UPDATE_INTEGRATOR},
    state::{self, Config, Integrator},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Replaces the terms of a partner, which may end a suspension; its keys are its own business.
pub fn update_integrator(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = UpdateIntegratorArgs::parse(data)?;
    let [authority, config_account, integrator, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, authority
    // - the operations key or the admin of the config must sign
    let config = state::load::<Config>(config_account, program_id)?;
    require_operations_or_admin(authority, &config)?;

    // arguments
    // - the terms must be valid
    args.terms.validate(&config.settings)?;
    let market_state = config.market_state;
    drop(config); // the same account given twice is then refused by its kind

    // integrator
    // - must have the terms that the caller saw
    let mut integrator = state::load_mut::<Integrator>(integrator, program_id)?;
    require(integrator.terms_seq == args.expected_terms_seq, KaratError::StaleSequence)?;

    let change = Change { before: integrator.terms(), after: args.terms };
    integrator.apply(&args.terms);
    let seq = integrator.next_seq()?;
    let partner_id = integrator.partner_id;
    drop(integrator);
    Event::change(UPDATE_INTEGRATOR, &partner_id, seq, market_state, authority.address()).emit_with(
        &change,
        config_account,
        program,
    )
}
