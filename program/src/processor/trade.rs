//! What all trades share, those of users (`buy`, `sell`) and those of partners' vaults (`partner_purchase`, `partner_sale`): their accounts,
//! the checks before any amount is looked at, and the record after the transfers.

use super::{not_enough_accounts, order::OrderAccounts};
use crate::{
    accounts::{require_address, require_signer, TREASURY_SEED, VAULT_SEED},
    error::{require, KaratError},
    event::{Event, EVENT_VERSION},
    instruction::{TradeLimits, EVENT},
    oracle::{self, Quotation},
    state::{self, Config, Integrator, I64},
    sysvar::unix_timestamp,
    token::{self, Transfer, TOKEN_PROGRAM_ID},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// From the trader to the token program.
const MARKET_ACCOUNTS: usize = 11;

/// On whose word a trade is made.
#[derive(Clone, Copy)]
pub enum Roles<'a> {
    /// The trader is a user, who signs; service and partner agree.
    User { service_signer: &'a AccountView, partner_wallet: &'a AccountView },
    /// The trader is the vault of the partner, for which one executive acts alone.
    Vault { executive: &'a AccountView },
}

/// The accounts of a trade, in the order of the instructions.
pub struct TradeAccounts<'a> {
    pub config: &'a mut AccountView,
    pub integrator: &'a mut AccountView,
    pub roles: Roles<'a>,
    /// A user, or the vault: the owner of the next two.
    pub trader: &'a AccountView,
    pub trader_usdc: &'a AccountView,
    pub trader_gold: &'a AccountView,
    pub treasury_authority: &'a AccountView,
    pub treasury_usdc: &'a AccountView,
    pub treasury_gold: &'a AccountView,
    pub fee_usdc: &'a AccountView,
    pub usdc_mint: &'a AccountView,
    pub gold_mint: &'a AccountView,
    pub price_account: &'a AccountView,
    pub token_program: &'a AccountView,
    pub program: &'a AccountView,
    /// Of a vault's trade, which is an order.
    pub order: Option<OrderAccounts<'a>>,
}

/// Balances of the five token accounts of a trade, base units.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Balances {
    pub trader_usdc: u64,
    pub trader_gold: u64,
    pub treasury_usdc: u64,
    pub treasury_gold: u64,
    pub fee_usdc: u64,
}

/// What a trade may go by once its accounts and circumstances are checked.
pub struct Terms {
    pub fee_bps: u16,
    pub quotation: Quotation,
    pub max_trade_usdc: u64,
    pub market_state: u8,
    pub treasury_bump: u8,
    pub vault_bump: u8,
    pub before: Balances,
    /// Unix seconds.
    pub now: i64,
}

/// What a trade counts against the limits of the day, base units.
pub struct Volume {
    /// USDC before the fee, paid or received.
    pub usdc: u64,
    /// What leaves the treasury.
    pub usdc_out: u64,
    pub gold_out: u64,
}

/// The amounts of a trade, base units, in and out from the trader.
pub struct Exchange {
    /// Number of the instruction.
    pub kind: u8,
    pub side: u8,
    pub id: [u8; 16],
    /// Unix seconds.
    pub expire_at: I64,
    pub amount_in: u64,
    pub amount_out: u64,
    /// USDC.
    pub fee: u64,
}

impl<'a> TradeAccounts<'a> {
    /// The accounts of a user's trade; `NotEnoughAccounts` when some are missing.
    #[inline(always)]
    pub fn of_user(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [config, integrator, service_signer, partner_wallet, rest @ ..] = accounts else {
            return Err(not_enough_accounts());
        };
        let Some((market, [program, ..])) = rest.split_at_mut_checked(MARKET_ACCOUNTS) else {
            return Err(not_enough_accounts());
        };
        Self::parse(config, integrator, Roles::User { service_signer, partner_wallet }, market, program, None)
    }

    /// The accounts of a vault's trade; `NotEnoughAccounts` when some are missing.
    #[inline(always)]
    pub fn of_vault(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [config, integrator, executive, rest @ ..] = accounts else {
            return Err(not_enough_accounts());
        };
        let Some((market, [payer, receipt, system_program, program, ..])) = rest.split_at_mut_checked(MARKET_ACCOUNTS)
        else {
            return Err(not_enough_accounts());
        };
        let order = OrderAccounts { payer, receipt, system_program };
        Self::parse(config, integrator, Roles::Vault { executive }, market, program, Some(order))
    }

    #[inline(always)]
    fn parse(
        config: &'a mut AccountView,
        integrator: &'a mut AccountView,
        roles: Roles<'a>,
        market: &'a [AccountView],
        program: &'a AccountView,
        order: Option<OrderAccounts<'a>>,
    ) -> Result<Self, ProgramError> {
        let [trader, trader_usdc, trader_gold, treasury_authority, treasury_usdc, treasury_gold, fee_usdc, usdc_mint, gold_mint, price_account, token_program] =
            market
        else {
            return Err(not_enough_accounts());
        };
        Ok(Self {
            config,
            integrator,
            roles,
            trader,
            trader_usdc,
            trader_gold,
            treasury_authority,
            treasury_usdc,
            treasury_gold,
            fee_usdc,
            usdc_mint,
            gold_mint,
            price_account,
            token_program,
            program,
            order,
        })
    }

    /// Checks everything that doesn't depend on the amount.
    #[inline(never)]
    pub fn check(&self, program_id: &Address, limits: &TradeLimits) -> Result<Terms, ProgramError> {
        let config = state::load::<Config>(self.config, program_id)?;
        let integrator = state::load::<Integrator>(self.integrator, program_id)?;
        self.check_signers(&config, &integrator)?;
        self.check_addresses(&config)?;
        self.check_aliases(&config, &integrator)?;
        let before = self.check_token_accounts(&config)?;
        let now = unix_timestamp()?;
        self.check_circumstances(&config, &integrator, limits, now)?;
        let quotation = oracle::load(self.price_account, &config, now)?;
        let fee_bps = check_fee(&config, &integrator, limits)?;
        Ok(Terms {
            fee_bps,
            quotation,
            max_trade_usdc: config.max_trade_usdc.get(),
            market_state: config.market_state,
            treasury_bump: config.treasury_bump,
            vault_bump: integrator.vault_bump,
            before,
            now,
        })
    }

    /// service_signer
    /// - must sign
    /// - must be one of the service signers of the config
    ///
    /// partner_wallet
    /// - must sign
    /// - must be the wallet of the integrator
    ///
    /// user
    /// - must sign
    ///
    /// executive
    /// - must sign
    /// - must be one of the executive authorities of the integrator
    #[inline(always)]
    fn check_signers(&self, config: &Config, integrator: &Integrator) -> ProgramResult {
        match self.roles {
            Roles::User { service_signer, partner_wallet } => {
                require_signer(service_signer)?;
                require(config.is_service_signer(service_signer.address()), KaratError::Unauthorized)?;
                require_signer(partner_wallet)?;
                let is_wallet = partner_wallet.address() == &integrator.partner_wallet;
                require(is_wallet, KaratError::Unauthorized)?;
                require_signer(self.trader)
            }
            Roles::Vault { executive } => {
                require_signer(executive)?;
                require(integrator.is_executive(executive.address()), KaratError::NotExecutive)
            }
        }
    }

    /// token program
    /// - must be SPL Token
    ///
    /// mints
    /// - must be those of the config
    ///
    /// treasury authority, treasury accounts, fee account
    /// - must be those of the config
    #[inline(always)]
    fn check_addresses(&self, config: &Config) -> ProgramResult {
        let is_token_program = self.token_program.address() == &TOKEN_PROGRAM_ID;
        require(is_token_program, KaratError::InvalidTokenProgram)?;
        require(self.usdc_mint.address() == &config.usdc_mint, KaratError::InvalidMint)?;
        require(self.gold_mint.address() == &config.gold_mint, KaratError::InvalidMint)?;
        require_address(self.treasury_authority, &config.treasury_authority)?;
        require_address(self.treasury_usdc, &config.treasury_usdc)?;
        require_address(self.treasury_gold, &config.treasury_gold)?;
        require_address(self.fee_usdc, &config.fee_usdc)
    }

    /// fee account
    /// - must not be an account of the vault
    ///
    /// vault, vault's token accounts
    /// - must be those of the integrator
    #[inline(always)]
    fn check_aliases(&self, config: &Config, integrator: &Integrator) -> ProgramResult {
        let fee = &config.fee_usdc;
        require(fee != &integrator.vault_usdc && fee != &integrator.vault_gold, KaratError::AccountAlias)?;
        match self.roles {
            Roles::User { .. } => self.check_user_aliases(config, integrator),
            Roles::Vault { .. } => {
                require_address(self.trader, &integrator.vault)?;
                require_address(self.trader_usdc, &integrator.vault_usdc)?;
                require_address(self.trader_gold, &integrator.vault_gold)
            }
        }
    }

    /// user
    /// - must not be the treasury, the escrow or the vault authority
    ///
    /// user's token accounts
    /// - must differ from each other and from every treasury, fee, escrow and vault account
    #[inline(always)]
    fn check_user_aliases(&self, config: &Config, integrator: &Integrator) -> ProgramResult {
        let (user, usdc, gold) = (self.trader.address(), self.trader_usdc.address(), self.trader_gold.address());
        let is_authority =
            user == &config.treasury_authority || user == &config.escrow_authority || user == &integrator.vault;
        require(!is_authority, KaratError::AccountAlias)?;
        require(usdc != gold, KaratError::AccountAlias)?;
        let treasury_accounts = [
            &config.treasury_usdc,
            &config.treasury_gold,
            &config.fee_usdc,
            &config.escrow_gold,
            &integrator.vault_usdc,
            &integrator.vault_gold,
        ];
        for account in treasury_accounts {
            require(usdc != account && gold != account, KaratError::AccountAlias)?;
        }
        Ok(())
    }

    /// every token account
    /// - must be an account of the token program, initialized and not frozen
    /// - must be of the right mint
    ///
    /// trader's and treasury's token accounts
    /// - must belong to the trader and to the treasury authority
    #[inline(always)]
    fn check_token_accounts(&self, config: &Config) -> Result<Balances, ProgramError> {
        let (usdc, gold) = (&config.usdc_mint, &config.gold_mint);
        let (trader, treasury) = (self.trader.address(), &config.treasury_authority);
        Ok(Balances {
            trader_usdc: token::owned_balance(self.trader_usdc, usdc, trader)?,
            trader_gold: token::owned_balance(self.trader_gold, gold, trader)?,
            treasury_usdc: token::owned_balance(self.treasury_usdc, usdc, treasury)?,
            treasury_gold: token::owned_balance(self.treasury_gold, gold, treasury)?,
            fee_usdc: token::load(self.fee_usdc, usdc)?.amount.get(),
        })
    }

    /// config
    /// - must not pause trades of this kind
    /// - must allow trades in the current state of the market
    ///
    /// integrator
    /// - must be active
    ///
    /// expire_at
    /// - must not have passed
    #[inline(always)]
    fn check_circumstances(
        &self,
        config: &Config,
        integrator: &Integrator,
        limits: &TradeLimits,
        now: i64,
    ) -> ProgramResult {
        let pause = match self.roles {
            Roles::User { .. } => Config::PAUSED_TRADE,
            Roles::Vault { .. } => Config::PAUSED_PARTNER,
        };
        require(config.paused & pause == 0, KaratError::Paused)?;
        require(integrator.status == Integrator::ACTIVE, KaratError::IntegratorSuspended)?;
        require(now <= limits.expire_at.get(), KaratError::Expired)?;
        let tradable = config.market_state == Config::MARKET_OPEN || config.max_age_closed.get() > 0;
        require(tradable, KaratError::MarketClosed)
    }

    /// Moves tokens of the trader: a user has signed for them, for the vault the program signs.
    #[inline(always)]
    pub fn pay_from_trader(&self, transfer: &Transfer, terms: &Terms) -> ProgramResult {
        match self.roles {
            Roles::User { .. } => transfer.invoke(),
            Roles::Vault { .. } => {
                let bump = [terms.vault_bump];
                let integrator = self.integrator.address().as_ref();
                transfer.invoke_signed(&[Seed::from(VAULT_SEED), Seed::from(integrator), Seed::from(&bump)])
            }
        }
    }

    /// Moves tokens of the treasury.
    #[inline(always)]
    pub fn pay_from_treasury(&self, transfer: &Transfer, terms: &Terms) -> ProgramResult {
        let bump = [terms.treasury_bump];
        transfer.invoke_signed(&[Seed::from(TREASURY_SEED), Seed::from(&bump)])
    }

    /// Counts the trade in the integrator and against the limits of the day, and makes the receipt of an order, before any transfer; gives
    /// the number of its event.
    ///
    /// volume of the partner
    /// - must stay within the partner's limit
    ///
    /// outflow of the treasury
    /// - must stay within the limits of the config
    #[inline(always)] // it has more arguments than the target passes to a function
    pub fn count(
        &mut self,
        program_id: &Address,
        terms: &Terms,
        volume: &Volume,
        exchange: &Exchange,
    ) -> Result<u64, ProgramError> {
        if let Some(order) = &mut self.order {
            order.execute_once(program_id, &exchange.id, &exchange.expire_at)?;
        }
        let mut integrator = state::load_mut::<Integrator>(self.integrator, program_id)?;
        integrator.count_volume(terms.now, volume.usdc)?;
        let mut config = state::load_mut::<Config>(self.config, program_id)?;
        config.count_outflow(terms.now, volume.usdc_out, volume.gold_out)?;
        integrator.next_seq()
    }

    /// balances after the transfers
    /// - must be exactly the computed ones
    pub fn check_balances(&self, expected: &Balances) -> ProgramResult {
        let after = Balances {
            trader_usdc: token::balance(self.trader_usdc)?,
            trader_gold: token::balance(self.trader_gold)?,
            treasury_usdc: token::balance(self.treasury_usdc)?,
            treasury_gold: token::balance(self.treasury_gold)?,
            fee_usdc: token::balance(self.fee_usdc)?,
        };
        require(&after == expected, KaratError::BalanceMismatch)
    }

    /// Emits the event of the trade.
    #[inline(always)] // it has more arguments than the target passes to a function
    pub fn emit(&self, program_id: &Address, terms: &Terms, seq: u64, exchange: &Exchange) -> ProgramResult {
        let partner_id = state::load::<Integrator>(self.integrator, program_id)?.partner_id;
        let (actor, counterparty) = match self.roles {
            Roles::User { partner_wallet, .. } => (self.trader, partner_wallet),
            Roles::Vault { executive } => (executive, self.trader),
        };
        Event {
            instruction: EVENT,
            version: EVENT_VERSION,
            kind: exchange.kind,
            partner_id,
            seq: seq.into(),
            id: exchange.id,
            side: exchange.side,
            amount_in: exchange.amount_in.into(),
            amount_out: exchange.amount_out.into(),
            fee: exchange.fee.into(),
            fee_bps: terms.fee_bps.into(),
            price: terms.quotation.price.value.into(),
            exponent: terms.quotation.price.exponent.into(),
            confidence: terms.quotation.confidence.into(),
            publish_time: terms.quotation.publish_time.into(),
            market_state: terms.market_state,
            actor: *actor.address(),
            counterparty: *counterparty.address(),
        }
        .emit(self.config, self.program)
    }
}

/// fee
/// - must not be above what the trade accepts
/// - must not be above what the config allows
#[inline(always)]
fn check_fee(config: &Config, integrator: &Integrator, limits: &TradeLimits) -> Result<u16, ProgramError> {
    let fee_bps = integrator.fee_bps(config.market_state);
    require(fee_bps <= limits.max_fee_bps.get(), KaratError::FeeTooHigh)?;
    require(fee_bps <= config.max_fee_bps.get(), KaratError::FeeTooHigh)?;
    Ok(fee_bps)
}
