use super::{not_enough_accounts, order::OrderAccounts, require_payout_accounts};
use crate::{
    accounts::{find_token_address, require_address, require_distinct, require_signer, VAULT_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, PartnerWithdrawArgs, PARTNER_WITHDRAW},
    state::{self, Config, Integrator},
    sysvar::unix_timestamp,
    token::{owned_balance, Transfer},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Moves tokens of a partner's vault to the withdrawal authority's own associated token account, nowhere else. A suspended partner may
/// withdraw, because what is in the vault is its own; the pause of withdrawals is there for emergencies.
pub fn partner_withdraw(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = PartnerWithdrawArgs::parse(data)?;
    let [config_account, integrator_account, withdrawal_authority, vault, vault_token, destination, mint, token_program, payer, receipt, system_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };
    let config = state::load::<Config>(config_account, program_id)?;
    let integrator = state::load::<Integrator>(integrator_account, program_id)?;

    // withdrawal_authority
    // - must sign
    // - must be the withdrawal authority of the integrator
    require_signer(withdrawal_authority)?;
    let owner = withdrawal_authority.address();
    require(owner == &integrator.withdrawal_authority, KaratError::Unauthorized)?;

    // vault, vault_token
    // - must be the integrator's, the second for the mint
    // - must be a token account of the vault
    let is_usdc = require_payout_accounts(&config, mint, token_program)?;
    require_address(vault, &integrator.vault)?;
    require_address(vault_token, if is_usdc { &integrator.vault_usdc } else { &integrator.vault_gold })?;
    owned_balance(vault_token, mint.address(), vault.address())?;

    // destination
    // - must not be the vault's
    // - must be the associated token account of the withdrawal authority
    // - must still belong to it
    require_distinct(&[vault_token.address(), destination.address()])?;
    require_address(destination, &find_token_address(owner, mint.address())?)?;
    owned_balance(destination, mint.address(), owner)?;

    // config
    // - must not pause withdrawals
    //
    // expire_at
    // - must not have passed
    //
    // amount
    // - must be positive
    // - must be in the vault
    require(config.paused & Config::PAUSED_WITHDRAW == 0, KaratError::Paused)?;
    require(unix_timestamp()? <= args.expire_at.get(), KaratError::Expired)?;
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;

    let (partner_id, bump) = (integrator.partner_id, [integrator.vault_bump]);
    drop(integrator);
    OrderAccounts { payer, receipt, system_program }.execute_once(program_id, &args.id, &args.expire_at)?;
    let seq = state::load_mut::<Integrator>(integrator_account, program_id)?.next_seq()?;
    let seeds = [Seed::from(VAULT_SEED), Seed::from(integrator_account.address().as_ref()), Seed::from(&bump)];
    Transfer { from: vault_token, mint, to: destination, authority: vault, amount }
        .pay_out(&seeds, KaratError::InsufficientFunds)?;
    Event::change(PARTNER_WITHDRAW, &partner_id, seq, config.market_state, owner)
        .with_transfer(amount, amount, owner)
        .with_id(&args.id)
        .emit(config_account, program)
}
