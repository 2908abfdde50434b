use super::{not_enough_accounts, require_operations_or_admin};
use crate::{
    accounts::{
        find_address, find_token_address, require_address, require_distinct, require_signer, require_vacant,
        NewAccount, INTEGRATOR_SEED, SYSTEM_PROGRAM_ID,
    },
    error::{require, KaratError},
    event::{Event, Executives, IntegratorCreated},
    instruction::{Arguments, CreateIntegratorArgs, CREATE_INTEGRATOR},
    state::{self, is_zero, listed, Config, Integrator, State},
    token::require_custody,
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Creates a partner with its central vault.
pub fn create_integrator(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = CreateIntegratorArgs::parse(data)?;
    let [payer, authority, config_account, integrator, vault_usdc, vault_gold, system_program, program, ..] = accounts
    else {
        return Err(not_enough_accounts());
    };

    // payer, authority
    // - must sign
    // - the second must be the operations key or the admin of the config
    let config = state::load::<Config>(config_account, program_id)?;
    require_signer(payer)?;
    require_operations_or_admin(authority, &config)?;
    require_address(system_program, &SYSTEM_PROGRAM_ID)?;

    // arguments
    // - the partner id must be set: zero is the config's in events
    // - the terms must be valid
    // - wallet and authorities must be set
    // - the executives must be 1 to 8, unique
    require(args.partner_id != [0; 16], KaratError::InvalidArgument)?;
    args.terms.validate(&config.settings)?;
    let keys = [&args.partner_wallet, &args.update_authority, &args.withdrawal_authority];
    require(!keys.into_iter().any(is_zero), KaratError::InvalidArgument)?;
    let executives = listed(args.executive_count, &args.executives)?;
    require(!executives.is_empty(), KaratError::InvalidArgument)?;

    // integrator
    // - must be the canonical PDA of its partner, so that there is one only
    // - must not exist yet
    let (integrator_address, bump) = find_address(&[INTEGRATOR_SEED, &args.partner_id], program_id)?;
    require_address(integrator, &integrator_address)?;
    require_vacant(integrator, program_id)?;

    // vault accounts
    // - must be the associated token accounts of the integrator
    // - must be the integrator's alone to move
    // - must not be the fee account
    require_address(vault_usdc, &find_token_address(&integrator_address, &config.usdc())?)?;
    require_address(vault_gold, &find_token_address(&integrator_address, &config.gold())?)?;
    require_custody(vault_usdc, &config.usdc(), &integrator_address)?;
    require_custody(vault_gold, &config.gold(), &integrator_address)?;
    require_distinct(&[vault_usdc.address(), vault_gold.address(), &config.fee_usdc])?;

    let bump_seed = [bump];
    let seeds = [Seed::from(INTEGRATOR_SEED), Seed::from(&args.partner_id), Seed::from(&bump_seed)];
    NewAccount { payer, account: integrator, size: Integrator::SIZE, program_id, seeds: &seeds }.create()?;
    let mut integrator = state::load_new::<Integrator>(integrator)?;
    integrator.bump = bump;
    integrator.executive_count = args.executive_count;
    integrator.partner_id = args.partner_id;
    integrator.vault_usdc = *vault_usdc.address();
    integrator.vault_gold = *vault_gold.address();
    integrator.executives = args.executives;
    integrator.partner_wallet = args.partner_wallet;
    integrator.update_authority = args.update_authority;
    integrator.withdrawal_authority = args.withdrawal_authority;
    integrator.apply(&args.terms);
    let seq = integrator.next_seq()?;
    let CreateIntegratorArgs { terms, partner_wallet, update_authority, withdrawal_authority, .. } = *args;
    let executives = Executives { count: args.executive_count, keys: args.executives };
    let created = IntegratorCreated { terms, partner_wallet, update_authority, withdrawal_authority, executives };
    Event::change(CREATE_INTEGRATOR, &args.partner_id, seq, config.market_state, authority.address()).emit_with(
        &created,
        config_account,
        program,
    )
}
