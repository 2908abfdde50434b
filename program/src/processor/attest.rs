use super::not_enough_accounts;
use crate::{
    accounts::{
        find_address, require_address, require_signer, NewAccount, RESERVE_SEED, SYSTEM_PROGRAM_ID,
    },
    error::{require, KaratError},
    event::{Change, Event},
    instruction::{Arguments, AttestArgs, ATTEST},
    state::{self, is_zero, Config, Reserve, State},
    sysvar::unix_timestamp,
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Records how much gold there is, by the attestor's report. The first attestation creates the account.
pub fn attest(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = AttestArgs::parse(data)?;
    let [payer, attestor, config_account, reserve, system_program, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // payer, attestor
    // - must sign
    // - the second must be the attestor of the config; without one there are no attestations
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(payer)?;
    require_signer(attestor)?;
    let is_attestor = !is_zero(&config.attestor) && attestor.address() == &config.attestor;
    require(is_attestor, KaratError::Unauthorized)?;
    require_address(system_program, &SYSTEM_PROGRAM_ID)?;

    // arguments
    // - the report must not be of the future
    // - there must be a report
    let as_of = args.as_of.get();
    require(as_of <= unix_timestamp()?, KaratError::InvalidArgument)?;
    require(args.report_hash != [0; 32], KaratError::InvalidArgument)?;

    // reserve
    // - must be the canonical PDA, so that there is one only
    // - its report must not be of a later moment: an old transaction must not bring an old report back
    let (address, bump) = find_address(&[RESERVE_SEED], program_id)?;
    require_address(reserve, &address)?;
    if !reserve.owned_by(program_id) {
        let bump_seed = [bump];
        let seeds = [Seed::from(RESERVE_SEED), Seed::from(&bump_seed)];
        NewAccount { payer, account: reserve, size: Reserve::SIZE, program_id, seeds: &seeds }.create()?;
        state::load_new::<Reserve>(reserve)?.bump = bump;
    }
    let mut reserve = state::load_mut::<Reserve>(reserve, program_id)?;
    require(as_of >= reserve.as_of.get(), KaratError::InvalidArgument)?;
    let before = reserve.attestation();
    reserve.attest(args.amount.get(), as_of, &args.report_hash)?;
    let change = Change { before, after: reserve.attestation() };
    let seq = config.next_seq()?;
    let event = Event::change(ATTEST, &[0; 16], seq, config.market_state, attestor.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}
