use super::{initialize::require_fee_account, not_enough_accounts, require_admin};
use crate::{
    accounts::require_distinct,
    event::Event,
    instruction::{Arguments, UpdateConfigArgs, UPDATE_CONFIG},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Replaces the settings and the fee account.
pub fn update_config(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = UpdateConfigArgs::parse(data)?;
    let [config, admin, fee_usdc, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config, program_id)?;
    require_admin(admin, &config)?;

    // arguments
    // - the settings must be valid
    args.settings.validate()?;

    // fee account
    // - must differ from the accounts of treasury and escrow
    // - must be a USDC account of neither
    require_distinct(&[fee_usdc.address(), &config.treasury_usdc, &config.treasury_gold, &config.escrow_gold])?;
    require_fee_account(fee_usdc, &config.usdc_mint, &config.treasury_authority, &config.escrow_authority)?;

    config.fee_usdc = *fee_usdc.address();
    config.apply(&args.settings);
    let seq = config.next_seq()?;
    Event::change(UPDATE_CONFIG, &[0; 16], seq, config.market_state, admin.address()).log();
    Ok(())
}
