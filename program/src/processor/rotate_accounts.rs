use super::{not_enough_accounts, require_admin};
use crate::{
    accounts::require_distinct,
    error::{require, KaratError},
    event::{Change, Event, TokenAccounts},
    instruction::{Arguments, RotateAccountsArgs, ROTATE_ACCOUNTS},
    state::{self, Config},
    token::require_custody,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Replaces the token accounts of treasury and fees: one that was closed or frozen must not need another program. What the old accounts hold
/// stays there.
pub fn rotate_accounts(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = RotateAccountsArgs::parse(data)?;
    let [config_account, admin, treasury_usdc, treasury_gold, fee_usdc, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    // - the config must be as the admin saw it
    let config_address = *config_account.address();
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
    require_admin(admin, &config)?;
    require(config.settings_seq == args.expected_settings_seq, KaratError::StaleSequence)?;

    // token accounts
    // - must differ, also from the escrow's
    // - must be of their mints, and the treasury's or, of fees, the config's alone to move
    let all = [treasury_usdc.address(), treasury_gold.address(), fee_usdc.address(), &config.escrow_gold];
    require_distinct(&all)?;
    require_custody(treasury_usdc, &config.usdc(), &config.treasury_authority)?;
    require_custody(treasury_gold, &config.gold(), &config.treasury_authority)?;
    require_custody(fee_usdc, &config.usdc(), &config_address)?;

    let before = accounts_of(&config);
    config.treasury_usdc = *treasury_usdc.address();
    config.treasury_gold = *treasury_gold.address();
    config.fee_usdc = *fee_usdc.address();
    let seq = config.next_settings_seq()?;
    let change = Change { before, after: accounts_of(&config) };
    let market_state = config.market_state;
    drop(config);
    Event::change(ROTATE_ACCOUNTS, &[0; 16], seq, market_state, admin.address()).emit_with(
        &change,
        config_account,
        program,
    )
}

fn accounts_of(config: &Config) -> TokenAccounts {
    let Config { treasury_usdc, treasury_gold, fee_usdc, escrow_gold, .. } = *config;
    TokenAccounts { treasury_usdc, treasury_gold, fee_usdc, escrow_gold }
}
