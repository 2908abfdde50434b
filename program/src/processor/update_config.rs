use super::{initialize::require_fee_account, not_enough_accounts, require_admin};
use crate::{
    accounts::require_distinct,
    event::{Change, Event},
    instruction::{Arguments, UpdateConfigArgs, UPDATE_CONFIG},
    state::{self, Config},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Replaces the settings and the fee account.
pub fn update_config(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = UpdateConfigArgs::parse(data)?;
    let [config_account, admin, fee_usdc, program, ..] = accounts else {
        return Err(not_enough_accounts());
    };

    // config, admin
    // - the admin of the config must sign
    let mut config = state::load_mut::<Config>(config_account, program_id)?;
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
    let change = Change { before: config.settings(), after: args.settings };
    config.apply(&args.settings);
    let seq = config.next_seq()?;
    let event = Event::change(UPDATE_CONFIG, &[0; 16], seq, config.market_state, admin.address());
    drop(config);
    event.emit_with(&change, config_account, program)
}
