use super::{not_enough_accounts, require_admin};
use crate::{
    accounts::{require_address, TREASURY_SEED},
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, MintGoldArgs, MINT_GOLD},
    state::{self, Config, Reserve},
    sysvar::unix_timestamp,
    token::{load_mint, owned_balance, plus, Mint, TOKEN_PROGRAM_ID},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Mints GOLD into the treasury, on the word of the admin and never more than the attestor vouches for.
pub fn mint_gold(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = MintGoldArgs::parse(data)?;
    let [config_account, admin, reserve, treasury_authority, treasury_gold, gold_mint, token_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;

    // token program, mint, treasury accounts
    // - must be SPL Token, and those of the config
    // - the last must be a token account of the treasury
    require(token_program.address() == &TOKEN_PROGRAM_ID, KaratError::InvalidTokenProgram)?;
    require(gold_mint.address() == &config.gold_mint, KaratError::InvalidMint)?;
    require_address(treasury_authority, &config.treasury_authority)?;
    require_address(treasury_gold, &config.treasury_gold)?;
    owned_balance(treasury_gold, &config.gold_mint, &config.treasury_authority)?;

    // amount
    // - must be positive
    //
    // reserve
    // - must have been attested, as of a moment within the allowed age
    // - must cover the whole supply, with what is minted now
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;
    let attestation = state::load::<Reserve>(reserve, program_id)?;
    let age = unix_timestamp()? - attestation.as_of.get();
    require(age <= config.max_attestation_age.get() as i64, KaratError::AttestationStale)?;
    let supply = plus(load_mint(gold_mint)?.supply.get(), amount)?;
    require(supply <= attestation.attested.get(), KaratError::MintAboveAttestation)?;
    drop(attestation);

    let seq = config.next_seq()?;
    let bump = [config.treasury_bump];
    let seeds = [Seed::from(TREASURY_SEED), Seed::from(&bump)];
    Mint { mint: gold_mint, to: treasury_gold, authority: treasury_authority, amount }.invoke_signed(&seeds, supply)?;
    let market_state = config.market_state;
    drop(config);
    Event::change(MINT_GOLD, &[0; 16], seq, market_state, admin.address())
        .with_transfer(0, amount, treasury_authority.address())
        .emit(config_account, program)
}
