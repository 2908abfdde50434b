use super::{
    not_enough_accounts,
    order::{Order, OrderAccounts},
    require_payout_token,
};
use crate::{
    accounts::{find_token_address, require_address, require_distinct, require_signer, INTEGRATOR_SEED},
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
    let [config_account, integrator_account, withdrawal_authority, vault_token, destination, mint, token_program, payer, receipt, system_program, program, ..] =
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

    // vault_token
    // - must be the vault's account for the mint
    // - must be a token account of the integrator
    let (token, is_usdc) = require_payout_token(&config, mint, token_program)?;
    require_address(vault_token, if is_usdc { &integrator.vault_usdc } else { &integrator.vault_gold })?;
    owned_balance(vault_token, &token, integrator_account.address())?;

    // destination
    // - must not be the vault's
    // - must be the associated token account of the withdrawal authority
    // - must still belong to it
    require_distinct(&[vault_token.address(), destination.address()])?;
    require_address(destination, &find_token_address(owner, &token)?)?;
    owned_balance(destination, &token, owner)?;

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

    let (partner_id, bump) = (integrator.partner_id, [integrator.bump]);
    drop(integrator);
    let order = Order { integrator: integrator_account.address(), id: &args.id, expire_at: args.expire_at };
    OrderAccounts { payer, receipt, system_program }.execute_once(program_id, &order)?;
    let seq = state::load_mut::<Integrator>(integrator_account, program_id)?.next_seq()?;
    let seeds = [Seed::from(INTEGRATOR_SEED), Seed::from(&partner_id), Seed::from(&bump)];
    Transfer {
        program: token.program,
        from: vault_token,
        mint,
        to: destination,
        authority: integrator_account,
        amount,
    }
    .pay_out(&seeds, KaratError::InsufficientFunds)?;
    Event::change(PARTNER_WITHDRAW, &partner_id, seq, config.market_state, owner)
        .with_transfer(amount, amount, owner)
        .with_id(&args.id)
        .emit(config_account, program)
}
