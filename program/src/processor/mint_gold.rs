use super::{not_enough_accounts, require_admin};
use crate::{
    accounts::{require_address, TREASURY_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, MintGoldArgs, MINT_GOLD},
    state::{self, Config},
    sysvar::unix_timestamp,
    token::{self, owned_balance, plus, Mint},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Mints GOLD into the treasury, on the word of the admin and never more than the attestor vouches for.
pub fn mint_gold(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = MintGoldArgs::parse(data)?;
    let [config_account, admin, treasury_authority, treasury_gold, gold_mint, token_program, program, ..] = accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    // - the treasury must not be paused
    let now = unix_timestamp()?;
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;
    config.require_treasury(now)?;

    // token program, mint, treasury accounts
    // - must be those of GOLD, and those of the config
    // - the last must be a token account of the treasury
    config.gold().require(gold_mint, token_program)?;
    require_address(treasury_authority, &config.treasury_authority)?;
    require_address(treasury_gold, &config.treasury_gold)?;
    owned_balance(treasury_gold, &config.gold(), &config.treasury_authority)?;

    // amount
    // - must be positive
    // - must leave the whole supply backed
    // - must be within what may be minted in a day
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;
    let supply = plus(token::supply(gold_mint)?, amount)?;
    config.require_backed(supply, now)?;
    let limit = config.settings.daily_mint.get();
    config.minted.add(now, amount, limit)?;

    let seq = config.next_seq()?;
    let bump = [config.treasury_bump];
    let seeds = [Seed::from(TREASURY_SEED), Seed::from(&bump)];
    Mint { mint: gold_mint, to: treasury_gold, authority: treasury_authority, amount }.invoke_signed(&seeds, supply)?;
    let event = Event::change(MINT_GOLD, &[0; 16], seq, config.market_state, admin.address()).with_transfer(
        0,
        amount,
        treasury_authority.address(),
    );
    drop(config);
    event.emit(config_account, program)
}
