use super::not_enough_accounts;
use crate::{
    accounts::{require_address, require_signer, TREASURY_SEED},
    error::{require, KaratError},
    event::{AccountFreeze, Event},
    instruction::{Arguments, FreezeAccountArgs, NoArgs, FREEZE_ACCOUNT, THAW_ACCOUNT},
    state::{self, is_zero, Config, Integrator},
    token::{self, Freeze},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Freezes an account of GOLD, for a reason that somebody can be shown the text of.
pub fn freeze_account(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = FreezeAccountArgs::parse(data)?;
    let [config_account, compliance, account, owner, gold_mint, treasury_authority, token_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, compliance
    // - the settings must allow it
    // - the compliance key of the config must sign
    let config_address = *config_account.address();
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(compliance)?;
    require(is_compliance(&config, compliance.address()), KaratError::Unauthorized)?;
    require(config.settings.freeze_enabled != 0, KaratError::FreezeDisabled)?;

    // reason
    // - must be there
    require(args.reason_hash != [0; 32], KaratError::InvalidArgument)?;

    // account
    // - must be an account of GOLD, not frozen
    //
    // owner
    // - must be its owner
    // - must be none of treasury, escrow and config, and no integrator, which owns the accounts of a vault; a wallet that was
    //   merely assigned to this program is none
    config.gold().require(gold_mint, token_program)?;
    require_address(treasury_authority, &config.treasury_authority)?;
    require(owner.address() == &token::load(account, config.gold())?.owner, KaratError::InvalidTokenOwner)?;
    let ours = [&config.treasury_authority, &config.escrow_authority, &config_address];
    let is_protected = ours.contains(&owner.address()) || state::load::<Integrator>(owner, program_id).is_ok();
    require(!is_protected, KaratError::ProtectedAccount)?;

    let seq = config.next_seq()?;
    let event = Event::change(FREEZE_ACCOUNT, &[0; 16], seq, config.market_state, compliance.address())
        .with_transfer(0, 0, owner.address());
    let bump = [config.treasury_bump];
    drop(config);
    let seeds = [Seed::from(TREASURY_SEED), Seed::from(&bump)];
    Freeze { account, mint: gold_mint, authority: treasury_authority }.invoke_signed(&seeds, false)?;
    let body = AccountFreeze { account: *account.address(), reason_hash: args.reason_hash };
    event.emit_with(&body, config_account, program)
}

/// Thaws an account of GOLD. The settings need not allow to freeze any more, and the admin can do it as well: what is frozen must never
/// depend on one key.
pub fn thaw_account(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    NoArgs::parse(data)?;
    let [config_account, authority, account, gold_mint, treasury_authority, token_program, program, ..] = accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, authority
    // - the compliance key or the admin of the config must sign
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_signer(authority)?;
    let key = authority.address();
    require(is_compliance(&config, key) || key == &config.admin, KaratError::Unauthorized)?;

    // account
    // - must be an account of GOLD, frozen
    config.gold().require(gold_mint, token_program)?;
    require_address(treasury_authority, &config.treasury_authority)?;
    let loaded = token::load_any(account, config.gold())?;
    require(loaded.is_frozen(), KaratError::TokenAccountNotFrozen)?;
    let owner = loaded.owner;
    drop(loaded);

    let seq = config.next_seq()?;
    let event = Event::change(THAW_ACCOUNT, &[0; 16], seq, config.market_state, key).with_transfer(0, 0, &owner);
    let bump = [config.treasury_bump];
    drop(config);
    let seeds = [Seed::from(TREASURY_SEED), Seed::from(&bump)];
    Freeze { account, mint: gold_mint, authority: treasury_authority }.invoke_signed(&seeds, true)?;
    event.emit_with(&AccountFreeze { account: *account.address(), reason_hash: [0; 32] }, config_account, program)
}

fn is_compliance(config: &Config, key: &Address) -> bool {
    !is_zero(key) && key == &config.hot_keys.compliance
}
