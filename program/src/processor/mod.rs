//! One file per instruction; the rules of each stand as a list above its checks.

mod accept_admin;
mod announce_burn;
mod apply_settings;
mod attest;
mod authorities;
mod buy;
mod cancel_admin;
mod cancel_burn;
mod cancel_settings;
mod close_receipt;
mod create_integrator;
mod escrow;
mod event;
mod freeze;
mod initialize;
mod mint_gold;
mod order;
mod partner_purchase;
mod partner_sale;
mod partner_withdraw;
mod pause;
mod propose_admin;
mod propose_settings;
mod reclaim_redemption;
mod redeem;
mod replace_key;
mod resume;
mod rotate_accounts;
mod sell;
mod set_market;
mod settle_redemption;
mod suspend_integrator;
mod sweep_escrow;
mod trade;
mod treasury_withdraw;
mod update_executives;
mod update_integrator;

use crate::{
    accounts::{require_address, require_signer},
    error::{require, KaratError},
    instruction::*,
    state::Config,
    token::{owned_balance, Token},
};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// Hands an instruction to its processor. Inlined into the entry: the target passes five registers to a function, and this one takes six.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let Some((discriminator, data)) = data.split_first() else {
        return Err(KaratError::InvalidInstructionData.into());
    };
    match *discriminator {
        INITIALIZE => initialize::initialize(program_id, accounts, data),
        PROPOSE_SETTINGS => propose_settings::propose_settings(program_id, accounts, data),
        APPLY_SETTINGS => apply_settings::apply_settings(program_id, accounts, data),
        CANCEL_SETTINGS => cancel_settings::cancel_settings(program_id, accounts, data),
        PROPOSE_ADMIN => propose_admin::propose_admin(program_id, accounts, data),
        ACCEPT_ADMIN => accept_admin::accept_admin(program_id, accounts, data),
        CANCEL_ADMIN => cancel_admin::cancel_admin(program_id, accounts, data),
        REPLACE_KEY => replace_key::replace_key(program_id, accounts, data),
        ROTATE_ACCOUNTS => rotate_accounts::rotate_accounts(program_id, accounts, data),
        PAUSE => pause::pause(program_id, accounts, data),
        RESUME => resume::resume(program_id, accounts, data),
        SET_MARKET => set_market::set_market(program_id, accounts, data),
        CREATE_INTEGRATOR => create_integrator::create_integrator(program_id, accounts, data),
        UPDATE_INTEGRATOR => update_integrator::update_integrator(program_id, accounts, data),
        SUSPEND_INTEGRATOR => suspend_integrator::suspend_integrator(program_id, accounts, data),
        UPDATE_EXECUTIVES => update_executives::update_executives(program_id, accounts, data),
        HAND_OVER_AUTHORITY | PROPOSE_AUTHORITY | CANCEL_AUTHORITY | APPLY_AUTHORITY => {
            authorities::change_authority(program_id, accounts, data, *discriminator)
        }
        BUY => buy::buy(program_id, accounts, data),
        SELL => sell::sell(program_id, accounts, data),
        PARTNER_PURCHASE => partner_purchase::partner_purchase(program_id, accounts, data),
        PARTNER_SALE => partner_sale::partner_sale(program_id, accounts, data),
        PARTNER_WITHDRAW => partner_withdraw::partner_withdraw(program_id, accounts, data),
        CLOSE_RECEIPT => close_receipt::close_receipt(program_id, accounts, data),
        REDEEM => redeem::redeem(program_id, accounts, data),
        ANNOUNCE_BURN => announce_burn::announce_burn(program_id, accounts, data),
        CANCEL_BURN => cancel_burn::cancel_burn(program_id, accounts, data),
        SETTLE_REDEMPTION => settle_redemption::settle_redemption(program_id, accounts, data),
        RECLAIM_REDEMPTION => reclaim_redemption::reclaim_redemption(program_id, accounts, data),
        SWEEP_ESCROW => sweep_escrow::sweep_escrow(program_id, accounts, data),
        TREASURY_WITHDRAW => treasury_withdraw::treasury_withdraw(program_id, accounts, data),
        ATTEST => attest::attest(program_id, accounts, data),
        MINT_GOLD => mint_gold::mint_gold(program_id, accounts, data),
        FREEZE_ACCOUNT => freeze::freeze_account(program_id, accounts, data),
        THAW_ACCOUNT => freeze::thaw_account(program_id, accounts, data),
        EVENT => event::event(program_id, accounts),
        _ => Err(KaratError::InvalidInstructionData.into()),
    }
}

/// The error of an instruction that was given fewer accounts than it takes; further ones are ignored.
fn not_enough_accounts() -> ProgramError {
    KaratError::NotEnoughAccounts.into()
}

/// admin
/// - must sign
/// - must be the admin of the config
fn require_admin(account: &AccountView, config: &Config) -> ProgramResult {
    require_signer(account)?;
    require(account.address() == &config.admin, KaratError::Unauthorized)
}

/// operations
/// - must sign
/// - must be the operations key of the config
fn require_operations(account: &AccountView, config: &Config) -> ProgramResult {
    require_signer(account)?;
    require(config.is_operations(account.address()), KaratError::Unauthorized)
}

/// authority
/// - must sign
/// - must be the operations key or the admin of the config
fn require_operations_or_admin(account: &AccountView, config: &Config) -> ProgramResult {
    require_signer(account)?;
    let key = account.address();
    require(config.is_operations(key) || key == &config.admin, KaratError::Unauthorized)
}

/// authority
/// - must sign
/// - must be the guardian or the admin of the config
fn require_guardian_or_admin(account: &AccountView, config: &Config) -> ProgramResult {
    require_signer(account)?;
    let key = account.address();
    require(key == &config.settings.guardian || key == &config.admin, KaratError::Unauthorized)
}

/// The token of a withdrawal, and whether it is USDC; else it is GOLD.
///
/// mint
/// - must be one of the config
///
/// token program
/// - must be that of the token
fn require_payout_token<'a>(
    config: &'a Config,
    mint: &AccountView,
    token_program: &AccountView,
) -> Result<(Token<'a>, bool), ProgramError> {
    let is_usdc = mint.address() == &config.usdc_mint;
    let token = if is_usdc { config.usdc() } else { config.gold() };
    token.require(mint, token_program)?;
    Ok((token, is_usdc))
}

/// What escrow holds, base units of GOLD.
///
/// token program, mint, escrow's account
/// - must be those of GOLD, and those of the config
/// - the last must be a token account of the escrow
fn require_escrow_accounts(
    config: &Config,
    escrow_gold: &AccountView,
    gold_mint: &AccountView,
    token_program: &AccountView,
) -> Result<u64, ProgramError> {
    config.gold().require(gold_mint, token_program)?;
    require_address(escrow_gold, &config.escrow_gold)?;
    owned_balance(escrow_gold, &config.gold(), &config.escrow_authority)
}
