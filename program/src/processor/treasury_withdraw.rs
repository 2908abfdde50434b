use super::{not_enough_accounts, require_admin, require_payout_token};
use crate::{
    accounts::{require_address, CONFIG_SEED, TREASURY_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, TreasuryWithdrawArgs, TREASURY_WITHDRAW},
    state::{self, is_zero, Config, Moved},
    sysvar::unix_timestamp,
    token::{self, owned_balance, Token, Transfer},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// Moves inventory out of the treasury, or collected fees, by order of the admin, only to the owners that the config names.
pub fn treasury_withdraw(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = TreasuryWithdrawArgs::parse(data)?;
    let [config_account, admin, treasury_authority, treasury_token, destination, mint, token_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    // - the treasury must not be paused
    let now = unix_timestamp()?;
    let config_address = *config_account.address();
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;
    config.require_treasury(now)?;

    // treasury_authority, treasury_token
    // - must be the treasury and its account for the mint, or the config and the fee account
    // - the second must be a token account of the first
    let (token, is_usdc) = require_payout_token(&config, mint, token_program)?;
    let is_fees = is_usdc && treasury_token.address() == &config.fee_usdc;
    let (authority, seed, bump) = match is_fees {
        true => (&config_address, CONFIG_SEED, [config.bump]),
        false => (&config.treasury_authority, TREASURY_SEED, [config.treasury_bump]),
    };
    require_address(treasury_authority, authority)?;
    let treasury = if is_usdc { &config.treasury_usdc } else { &config.treasury_gold };
    require(is_fees || treasury_token.address() == treasury, KaratError::InvalidAddress)?;
    owned_balance(treasury_token, &token, treasury_authority.address())?;

    // destination
    // - must be none of the program's own accounts
    // - must belong to one of the config's owners for it
    //
    // amount
    // - must be positive
    // - must be in the account
    // - must be within what may leave it in a day
    // - of GOLD: the whole supply must be backed
    let owner = require_outside(destination, token, &config, &config_address)?;
    require(!is_zero(&owner) && config.settings.withdraw_owners.contains(&owner), KaratError::InvalidTokenOwner)?;
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;
    let moved = if is_usdc {
        Moved { usdc_out: amount, ..Moved::default() }
    } else {
        config.require_backed_outflow(token::supply(mint)?, now)?;
        Moved { gold_out: amount, ..Moved::default() }
    };

    let token_program = token.program;
    config.count_flow(now, &moved)?;
    let seq = config.next_seq()?;
    let market_state = config.market_state;
    // The transfer of fees is signed by the config: it must not be borrowed.
    drop(config);
    let seeds = [Seed::from(seed), Seed::from(&bump)];
    Transfer {
        program: token_program,
        from: treasury_token,
        mint,
        to: destination,
        authority: treasury_authority,
        amount,
    }
    .pay_out(&seeds, KaratError::InsufficientLiquidity)?;
    Event::change(TREASURY_WITHDRAW, &[0; 16], seq, market_state, admin.address())
        .with_transfer(amount, amount, &owner)
        .emit(config_account, program)
}

/// Returns the owner of a token account that receives what leaves the treasury accounts.
///
/// account
/// - must be no account of treasury, escrow or fees
/// - must be an account of the token, not frozen
/// - must belong to none of treasury, escrow and config
fn require_outside(
    account: &AccountView,
    token: Token,
    config: &Config,
    config_address: &Address,
) -> Result<Address, ProgramError> {
    let treasury_accounts = [&config.treasury_usdc, &config.treasury_gold, &config.fee_usdc, &config.escrow_gold];
    require(!treasury_accounts.contains(&account.address()), KaratError::AccountAlias)?;
    let owner = token::load(account, token)?.owner;
    let outside =
        owner != config.treasury_authority && owner != config.escrow_authority && &owner != config_address;
    require(outside, KaratError::InvalidTokenOwner)?;
    Ok(owner)
}
