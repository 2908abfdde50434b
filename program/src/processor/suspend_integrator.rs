use super::{not_enough_accounts, require_operations_or_admin};
use crate::{
    accounts::require_signer,
    event::{Change, Event},
    instruction::{Arguments, NoArgs, SUSPEND_INTEGRATOR},
    state::{self, Config, Integrator},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Suspends a partner, whatever its terms are by now; `update_integrator` ends it. One that is suspended already succeeds, is not counted and
/// has no event.
pub fn suspend_integrator(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    NoArgs::parse(data)?;
    let [authority, config_account, integrator, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // authority
    // - must sign
    // - must be the operations key, the guardian or the admin
    let config = state::load::<Config>(config_account, program_id)?;
    require_signer(authority)?;
    if authority.address() != &config.settings.guardian {
        require_operations_or_admin(authority, &config)?;
    }
    let market_state = config.market_state;
    drop(config); // the same account given twice is then refused by its kind

    let mut integrator = state::load_mut::<Integrator>(integrator, program_id)?;
    let before = integrator.terms();
    if before.status == Integrator::SUSPENDED {
        return Ok(());
    }
    let mut after = before;
    after.status = Integrator::SUSPENDED;
    integrator.apply(&after);
    let seq = integrator.next_seq()?;
    let event = Event::change(SUSPEND_INTEGRATOR, &integrator.partner_id, seq, market_state, authority.address());
    drop(integrator);
    event.emit_with(&Change { before, after }, config_account, program)
}
