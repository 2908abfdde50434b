//! One file per instruction; the rules of each stand as a list above its checks.

mod accept_admin;
mod attest;
mod authorities;
mod buy;
mod close_receipt;
mod create_integrator;
mod event;
mod initialize;
mod mint_gold;
mod order;
mod partner_purchase;
mod partner_sale;
mod partner_withdraw;
mod pause;
mod propose_admin;
mod redeem;
mod resume;
mod rotate_accounts;
mod sell;
mod set_market;
mod settle_redemption;
mod sweep_escrow;
mod trade;
mod treasury_withdraw;
mod update_config;
mod update_executives;
mod update_integrator;

use crate::{
    error::{require, KaratError},
    instruction::*,
    state::{is_zero, Config},
    token::{owned_balance, TOKEN_PROGRAM_ID},
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
        UPDATE_CONFIG => update_config::update_config(program_id, accounts, data),
        PROPOSE_ADMIN => propose_admin::propose_admin(program_id, accounts, data),
        ACCEPT_ADMIN => accept_admin::accept_admin(program_id, accounts, data),
        PAUSE => pause::pause(program_id, accounts, data),
        RESUME => resume::resume(program_id, accounts, data),
        SET_MARKET => set_market::set_market(program_id, accounts, data),
        CREATE_INTEGRATOR => create_integrator::create_integrator(program_id, accounts, data),
        UPDATE_INTEGRATOR => update_integrator::update_integrator(program_id, accounts, data),
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
        SETTLE_REDEMPTION => settle_redemption::settle_redemption(program_id, accounts, data),
        SWEEP_ESCROW => sweep_escrow::sweep_escrow(program_id, accounts, data),
        TREASURY_WITHDRAW => treasury_withdraw::treasury_withdraw(program_id, accounts, data),
        ROTATE_ACCOUNTS => rotate_accounts::rotate_accounts(program_id, accounts, data),
        ATTEST => attest::attest(program_id, accounts, data),
        MINT_GOLD => mint_gold::mint_gold(program_id, accounts, data),
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
    crate::accounts::require_signer(account)?;
    require(account.address() == &config.admin, KaratError::Unauthorized)
}

/// authority
/// - must sign
/// - must be the operations key or the admin of the config
fn require_operations_or_admin(account: &AccountView, config: &Config) -> ProgramResult {
    crate::accounts::require_signer(account)?;
    let key = account.address();
    let is_operations = !is_zero(&config.operations) && key == &config.operations;
    require(is_operations || key == &config.admin, KaratError::Unauthorized)
}

/// Whether a withdrawal is of USDC; else it is of GOLD.
///
/// token program
/// - must be SPL Token
///
/// mint
/// - must be one of the config
fn require_payout_accounts(
    config: &Config,
    mint: &AccountView,
    token_program: &AccountView,
) -> Result<bool, ProgramError> {
    require(token_program.address() == &TOKEN_PROGRAM_ID, KaratError::InvalidTokenProgram)?;
    let is_usdc = mint.address() == &config.usdc_mint;
    require(is_usdc || mint.address() == &config.gold_mint, KaratError::InvalidMint)?;
    Ok(is_usdc)
}

/// What escrow holds, base units of GOLD.
///
/// token program
/// - must be SPL Token
///
/// mint, escrow's account
/// - must be those of the config
/// - the second must be a token account of the escrow
fn require_escrow_accounts(
    config: &Config,
    escrow_gold: &AccountView,
    gold_mint: &AccountView,
    token_program: &AccountView,
) -> Result<u64, ProgramError> {
    require(token_program.address() == &TOKEN_PROGRAM_ID, KaratError::InvalidTokenProgram)?;
    require(gold_mint.address() == &config.gold_mint, KaratError::InvalidMint)?;
    crate::accounts::require_address(escrow_gold, &config.escrow_gold)?;
    owned_balance(escrow_gold, &config.gold_mint, &config.escrow_authority)
}
