use super::{not_enough_accounts, require_admin, require_escrow_accounts, treasury_withdraw::require_outside};
use crate::{
    accounts::{require_address, ESCROW_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, SweepEscrowArgs, SWEEP_ESCROW},
    state::{self, Config},
    token::{owned_balance, Transfer},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// Moves gold out of escrow that belongs to no open redemption: what somebody sent there without one.
pub fn sweep_escrow(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SweepEscrowArgs::parse(data)?;
    let [config_account, admin, escrow_authority, escrow_gold, gold_mint, destination, token_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let config_address = *config_account.address();
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;

    // token program, mint, escrow accounts
    // - must be SPL Token, and those of the config
    // - must hold at least what open redemptions need
    require_address(escrow_authority, &config.escrow_authority)?;
    let held = require_escrow_accounts(&config, escrow_gold, gold_mint, token_program)?;
    let surplus = held.checked_sub(config.escrow_open.get()).ok_or(KaratError::EscrowShort)?;

    // amount
    // - must be positive
    // - must be surplus
    let receiver = require_destination(destination, &config, &config_address)?;
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;
    require(amount <= surplus, KaratError::NothingToSweep)?;

    let seq = config.next_escrow_seq()?;
    let bump = [config.escrow_bump];
    let seeds = [Seed::from(ESCROW_SEED), Seed::from(&bump)];
    Transfer { from: escrow_gold, mint: gold_mint, to: destination, authority: escrow_authority, amount }
        .pay_out(&seeds, KaratError::EscrowShort)?;
    let market_state = config.market_state;
    drop(config);
    Event::change(SWEEP_ESCROW, &[0; 16], seq, market_state, admin.address())
        .with_transfer(amount, amount, &receiver)
        .emit(config_account, program)
}

/// The owner of the destination.
///
/// destination
/// - must be the treasury's account, or a GOLD account that is not a treasury account
fn require_destination(
    destination: &AccountView,
    config: &Config,
    config_address: &Address,
) -> Result<Address, ProgramError> {
    if destination.address() != &config.treasury_gold {
        return require_outside(destination, &config.gold_mint, config, config_address);
    }
    owned_balance(destination, &config.gold_mint, &config.treasury_authority)?;
    Ok(config.treasury_authority)
}
