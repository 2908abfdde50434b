use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Takes the event that the program gives itself and does nothing with it: that it was called is the record.
pub fn event(program_id: &Address, accounts: &[AccountView]) -> ProgramResult {
    let [config, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config
    // - must be the config, which is a PDA and has no key
    // - must sign: this program alone can make it
    require_signer(config)?;
    state::load::<Config>(config, program_id)?;
    Ok(())
}
