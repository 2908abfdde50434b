use super::not_enough_accounts;
use crate::{
    accounts::{
        find_address, require_address, require_distinct, require_signer, require_vacant, NewAccount, CONFIG_SEED,
        ESCROW_SEED, LOADER_ID, SYSTEM_PROGRAM_ID, TREASURY_SEED,
    },
    error::{require, KaratError},
    event::{ConfigCreated, Event},
    instruction::{Arguments, InitializeArgs, INITIALIZE},
    state::{self, is_zero, Config, State},
    token::{require_custody, require_gold_mint, require_usdc_mint, Token},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// ProgramData of loader v3: tag u32 = 3, slot u64, option u8 = 1, upgrade authority [32].
const PROGRAM_DATA_TAG: [u8; 4] = [3, 0, 0, 0];
const PROGRAM_DATA_HEADER: usize = 45;

/// The accounts of the instruction, in its order.
struct Accounts<'a> {
    payer: &'a AccountView,
    upgrade_authority: &'a AccountView,
    config: &'a mut AccountView,
    program_data: &'a AccountView,
    usdc_mint: &'a AccountView,
    gold_mint: &'a AccountView,
    treasury_usdc: &'a AccountView,
    treasury_gold: &'a AccountView,
    fee_usdc: &'a AccountView,
    escrow_gold: &'a AccountView,
    system_program: &'a AccountView,
    program: &'a AccountView,
}

/// Derived addresses with their bumps.
struct Derived {
    config: (Address, u8),
    treasury: (Address, u8),
    escrow: (Address, u8),
}

/// Writes the config, once; everything starts paused and the market closed, until the admin has looked at what was made.
pub fn initialize(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = InitializeArgs::parse(data)?;
    let accounts = Accounts::parse(accounts)?;

    // payer, upgrade_authority
    // - must sign
    // - the second must be the upgrade authority of this program
    require_signer(accounts.payer)?;
    require_signer(accounts.upgrade_authority)?;
    require_upgrade_authority(accounts.upgrade_authority, accounts.program_data, program_id)?;
    require_address(accounts.system_program, &SYSTEM_PROGRAM_ID)?;

    // arguments
    // - the admin must be set
    // - the settings must be valid; that the roles are apart is checked when they are written
    require(!is_zero(&args.admin), KaratError::InvalidArgument)?;
    args.settings.validate()?;

    // config
    // - must be the canonical PDA, so that there is one only
    // - must not exist yet
    let derived = Derived {
        config: find_address(&[CONFIG_SEED], program_id)?,
        treasury: find_address(&[TREASURY_SEED], program_id)?,
        escrow: find_address(&[ESCROW_SEED], program_id)?,
    };
    require_address(accounts.config, &derived.config.0)?;
    require_vacant(accounts.config, program_id)?;

    accounts.check_mints(&derived, &args.admin)?;
    accounts.check_token_accounts(&derived)?;
    accounts.write(program_id, args, &derived)
}

impl<'a> Accounts<'a> {
    fn parse(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [payer, upgrade_authority, config, program_data, usdc_mint, gold_mint, treasury_usdc, treasury_gold, fee_usdc, escrow_gold, system_program, program, ..] =
            accounts
        else {
            return Err(not_enough_accounts());
        };
        Ok(Self {
            payer,
            upgrade_authority,
            config,
            program_data,
            usdc_mint,
            gold_mint,
            treasury_usdc,
            treasury_gold,
            fee_usdc,
            escrow_gold,
            system_program,
            program,
        })
    }

    /// mints
    /// - must differ
    /// - must be mints with 6 decimals
    /// - tokens of the second must be the treasury's alone to make and to freeze, and its name the admin's to change
    fn check_mints(&self, derived: &Derived, admin: &Address) -> ProgramResult {
        require_distinct(&[self.usdc_mint.address(), self.gold_mint.address()])?;
        require_usdc_mint(self.usdc_mint)?;
        require_gold_mint(self.gold_mint, &derived.treasury.0, admin)
    }

    /// token accounts
    /// - must differ
    /// - must be of their mints and of the treasury, the escrow or, for fees, the config, which alone may move them
    fn check_token_accounts(&self, derived: &Derived) -> ProgramResult {
        let (usdc, gold) = (&Token::usdc(self.usdc_mint.address()), &Token::gold(self.gold_mint.address()));
        let (treasury, escrow) = (&derived.treasury.0, &derived.escrow.0);
        let all = [self.treasury_usdc, self.treasury_gold, self.fee_usdc, self.escrow_gold];
        require_distinct(&all.map(|account| account.address()))?;
        require_custody(self.treasury_usdc, usdc, treasury)?;
        require_custody(self.treasury_gold, gold, treasury)?;
        require_custody(self.escrow_gold, gold, escrow)?;
        require_custody(self.fee_usdc, usdc, &derived.config.0)
    }

    /// Makes the account, fills it, and emits the event.
    fn write(self, program_id: &Address, args: &InitializeArgs, derived: &Derived) -> ProgramResult {
        let (_, bump) = derived.config;
        let bump_seed = [bump];
        let seeds = [Seed::from(CONFIG_SEED), Seed::from(&bump_seed)];
        let account = &*self.config;
        NewAccount { payer: self.payer, account, size: Config::SIZE, program_id, seeds: &seeds }.create()?;
        let mut config = state::load_new::<Config>(self.config)?;
        config.bump = bump;
        (config.treasury_authority, config.treasury_bump) = derived.treasury;
        (config.escrow_authority, config.escrow_bump) = derived.escrow;
        config.admin = args.admin;
        config.usdc_mint = *self.usdc_mint.address();
        config.gold_mint = *self.gold_mint.address();
        config.treasury_usdc = *self.treasury_usdc.address();
        config.treasury_gold = *self.treasury_gold.address();
        config.fee_usdc = *self.fee_usdc.address();
        config.escrow_gold = *self.escrow_gold.address();
        config.hot_keys = args.hot_keys;
        config.settings = args.settings;
        config.require_separate_roles(&config.admin, &args.settings)?;
        config.paused = Config::PAUSED_AT_FIRST;
        config.market_state = Config::MARKET_CLOSED;
        let seq = config.next_seq()?;
        let actor = self.upgrade_authority.address();
        let event = Event::change(INITIALIZE, &[0; 16], seq, config.market_state, actor);
        drop(config);
        let created = ConfigCreated { admin: args.admin, hot_keys: args.hot_keys, settings: args.settings };
        event.emit_with(&created, self.config, self.program)
    }
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
