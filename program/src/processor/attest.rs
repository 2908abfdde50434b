use super::not_enough_accounts;
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, AttestArgs, ATTEST},
    state::{self, is_zero, Config},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Records how much gold there is, by the attestor's report. Less than the supply is accepted: the truth counts, and stops what needs gold.
pub fn attest(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let after = AttestArgs::parse(data)?.attestation;
    let [config_account, attestor, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // attestor
    // - must sign
    // - must be the attestor of the config; without one there are no attestations
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(attestor)?;
    let is_attestor = !is_zero(&config.settings.attestor) && attestor.address() == &config.settings.attestor;
    require(is_attestor, KaratError::Unauthorized)?;

    // report
    // - must not be of the future
    // - must be of a later moment than the last one, or be that one again: an old transaction must not bring an old report back, and of one
    //   moment there is one truth
    // - must know as many burns as the last one, and no more than there were
    // - must have a hash
    let before = config.attestation;
    let as_of = after.as_of.get();
    let burned = after.burned_at_as_of.get();
    let is_later = as_of > before.as_of.get() || after == before;
    require(as_of <= unix_timestamp()? && is_later, KaratError::InvalidArgument)?;
    let knows_burns = burned <= config.burned_total.get() && burned >= before.burned_at_as_of.get();
    require(knows_burns && after.report_hash != [0; 32], KaratError::InvalidArgument)?;

    config.attestation = after;
    let seq = config.next_seq()?;
    let event = Event::change(ATTEST, &[0; 16], seq, config.market_state, attestor.address());
    drop(config);
    event.emit_with(&Change { before, after }, config_account, program)
}
