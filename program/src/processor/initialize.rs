use super::not_enough_accounts;
use crate::{
    accounts::{
        find_address, require_address, require_distinct, require_signer, require_vacant, NewAccount, CONFIG_SEED,
        ESCROW_SEED, LOADER_ID, SYSTEM_PROGRAM_ID, TREASURY_SEED,
    },
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, InitializeArgs, INITIALIZE},
    state::{self, is_zero, Config, State},
    token::{self, require_custody, require_mint},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// ProgramData of loader v3: tag u32 = 3, slot u64, option u8 = 1, upgrade authority [32].
const PROGRAM_DATA_TAG: [u8; 4] = [3, 0, 0, 0];
const PROGRAM_DATA_HEADER: usize = 45;

/// Writes the config, once; the market starts open and nothing is paused.
pub fn initialize(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = InitializeArgs::parse(data)?;
    let [payer, upgrade_authority, config, program_data, usdc_mint, gold_mint, treasury_usdc, treasury_gold, fee_usdc, escrow_gold, system_program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    // payer, upgrade_authority
    // - must sign
    // - the second must be the upgrade authority of this program
    require_signer(payer)?;
    require_signer(upgrade_authority)?;
    require_upgrade_authority(upgrade_authority, program_data, program_id)?;
    require_address(system_program, &SYSTEM_PROGRAM_ID)?;

    // arguments
    // - the admin must be set
    // - the settings must be valid
    require(!is_zero(&args.admin), KaratError::InvalidArgument)?;
    args.settings.validate()?;

    // config
    // - must be the canonical PDA, so that there is one only
    // - must not exist yet
    let (config_address, bump) = find_address(&[CONFIG_SEED], program_id)?;
    require_address(config, &config_address)?;
    require_vacant(config, program_id)?;

    // mints
    // - must differ
    // - must be mints with 6 decimals
    require_distinct(&[usdc_mint.address(), gold_mint.address()])?;
    require_mint(usdc_mint)?;
    require_mint(gold_mint)?;

    // token accounts
    // - must differ
    // - must be of their mints and of the treasury or the escrow, which alone may move them
    // - the fee account must be of neither
    let (treasury, treasury_bump) = find_address(&[TREASURY_SEED], program_id)?;
    let (escrow, escrow_bump) = find_address(&[ESCROW_SEED], program_id)?;
    let all = [treasury_usdc.address(), treasury_gold.address(), fee_usdc.address(), escrow_gold.address()];
    require_distinct(&all)?;
    require_custody(treasury_usdc, usdc_mint.address(), &treasury)?;
    require_custody(treasury_gold, gold_mint.address(), &treasury)?;
    require_custody(escrow_gold, gold_mint.address(), &escrow)?;
    require_fee_account(fee_usdc, usdc_mint.address(), &treasury, &escrow)?;

    let bump_seed = [bump];
    let seeds = [Seed::from(CONFIG_SEED), Seed::from(&bump_seed)];
    NewAccount { payer, account: config, size: Config::SIZE, program_id, seeds: &seeds }.create()?;
    let mut config = state::load_new::<Config>(config)?;
    config.bump = bump;
    config.treasury_bump = treasury_bump;
    config.escrow_bump = escrow_bump;
    config.admin = args.admin;
    config.usdc_mint = *usdc_mint.address();
    config.gold_mint = *gold_mint.address();
    config.treasury_authority = treasury;
    config.treasury_usdc = *treasury_usdc.address();
    config.treasury_gold = *treasury_gold.address();
    config.fee_usdc = *fee_usdc.address();
    config.escrow_authority = escrow;
    config.escrow_gold = *escrow_gold.address();
    config.apply(&args.settings);
    let seq = config.next_seq()?;
    Event::change(INITIALIZE, &[0; 16], seq, config.market_state, upgrade_authority.address()).log();
    Ok(())
}

/// program_data
/// - must be the ProgramData account of this program
/// - must name the signer as the upgrade authority
fn require_upgrade_authority(signer: &AccountView, program_data: &AccountView, program_id: &Address) -> ProgramResult {
    let (expected, _) = find_address(&[program_id.as_ref()], &LOADER_ID)?;
    require_address(program_data, &expected)?;
    require(program_data.owned_by(&LOADER_ID), KaratError::InvalidAccountOwner)?;
    let data = program_data.try_borrow()?;
    let is_program_data = data.len() >= PROGRAM_DATA_HEADER && data[..4] == PROGRAM_DATA_TAG;
    require(is_program_data, KaratError::InvalidAccountData)?;
    let is_authority = data[12] == 1 && &data[13..PROGRAM_DATA_HEADER] == signer.address().as_ref();
    require(is_authority, KaratError::Unauthorized)
}

/// fee account
/// - must be a token account for USDC
/// - must belong to neither treasury nor escrow, whose funds are not fees
pub(super) fn require_fee_account(
    account: &AccountView,
    usdc_mint: &Address,
    treasury: &Address,
    escrow: &Address,
) -> ProgramResult {
    let token = token::load(account, usdc_mint)?;
    let foreign = &token.owner != treasury && &token.owner != escrow;
    require(foreign, KaratError::InvalidTokenOwner)
}
