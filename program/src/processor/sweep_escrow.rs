use super::{not_enough_accounts, require_admin, require_escrow_accounts};
use crate::{
    accounts::{require_address, ESCROW_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, SweepEscrowArgs, SWEEP_ESCROW},
    state::{self, Config},
    sysvar::unix_timestamp,
    token::{owned_balance, Transfer, TOKEN_2022_PROGRAM_ID},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Moves gold out of escrow that belongs to no open redemption, what somebody sent there without one, into the treasury: giving it back is a
/// withdrawal to a listed owner.
pub fn sweep_escrow(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SweepEscrowArgs::parse(data)?;
    let [config_account, admin, escrow_authority, escrow_gold, gold_mint, treasury_gold, token_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    // - the treasury must not be paused
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;
    config.require_treasury(unix_timestamp()?)?;

    // token program, mint, escrow accounts
    // - must be those of GOLD, and those of the config
    // - must hold at least what open redemptions need
    require_address(escrow_authority, &config.escrow_authority)?;
    let held = require_escrow_accounts(&config, escrow_gold, gold_mint, token_program)?;
    let surplus = held.checked_sub(config.escrow_open.get()).ok_or(KaratError::EscrowShort)?;

    // treasury's account
    // - must be that of the config, and a token account of the treasury
    //
    // amount
    // - must be positive
    // - must be surplus
    require_address(treasury_gold, &config.treasury_gold)?;
    owned_balance(treasury_gold, &config.gold(), &config.treasury_authority)?;
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;
    require(amount <= surplus, KaratError::NothingToSweep)?;

    let seq = config.next_seq()?;
    let bump = [config.escrow_bump];
    let seeds = [Seed::from(ESCROW_SEED), Seed::from(&bump)];
    Transfer {
        program: &TOKEN_2022_PROGRAM_ID,
        from: escrow_gold,
        mint: gold_mint,
        to: treasury_gold,
        authority: escrow_authority,
        amount,
    }
    .pay_out(&seeds, KaratError::EscrowShort)?;
    let event = Event::change(SWEEP_ESCROW, &[0; 16], seq, config.market_state, admin.address())
        .with_transfer(amount, amount, &config.treasury_authority);
    drop(config);
    event.emit(config_account, program)
}
