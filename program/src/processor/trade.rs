//! What all trades share, those of users (`buy`, `sell`) and those of partners' vaults (`partner_purchase`, `partner_sale`): their accounts,
//! the checks before any amount is looked at, and the record after the transfers.

use super::{
    not_enough_accounts,
    order::{Order, OrderAccounts},
};
use crate::{
    accounts::{require_address, require_signer, INTEGRATOR_SEED, TREASURY_SEED},
    error::{require, KaratError},
    event::{Event, EVENT_VERSION, SIDE_BUY},
    instruction::{TradeLimits, EVENT},
    oracle::{self, Quotation},
    state::{self, Config, Integrator, Moved, I64},
    sysvar::unix_timestamp,
    token::{self, plus, Transfer},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// From the trader's accounts to the token programs.
const MARKET_ACCOUNTS: usize = 11;

/// On whose word a trade is made.
#[derive(Clone, Copy)]
pub enum Roles<'a> {
    /// The trader is a user, who signs; service and partner agree.
    User { service_signer: &'a AccountView, partner_wallet: &'a AccountView, user: &'a AccountView },
    /// The trader is the vault of the partner, for which one executive acts alone.
    Vault { executive: &'a AccountView },
}

/// The accounts of a trade, in the order of the instructions.
pub struct TradeAccounts<'a> {
    pub config: &'a mut AccountView,
    /// Owner of the vault's token accounts.
    pub integrator: &'a mut AccountView,
    pub roles: Roles<'a>,
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
    pub gold_token_program: &'a AccountView,
    /// Of a trade in which GOLD leaves the treasury.
    pub usdc_price_account: Option<&'a AccountView>,
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
    pub partner_id: [u8; 16],
    pub integrator_bump: u8,
    pub before: Balances,
    /// Unix seconds.
    pub now: i64,
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

impl Exchange {
    /// What the trade is worth in USDC before the fee, and what moves between trader and treasury. The fee of a sale leaves the treasury too.
    fn flow(&self) -> Result<(u64, Moved), ProgramError> {
        let Self { side, amount_in, amount_out, fee, .. } = *self;
        if side == SIDE_BUY {
            let usdc_in = amount_in.checked_sub(fee).ok_or(KaratError::ArithmeticOverflow)?;
            return Ok((amount_in, Moved { usdc_in, gold_out: amount_out, ..Moved::default() }));
        }
        let usdc_out = plus(amount_out, fee)?;
        Ok((usdc_out, Moved { usdc_out, gold_in: amount_in, ..Moved::default() }))
    }
}

impl<'a> TradeAccounts<'a> {
    /// The accounts of a user's trade; `NotEnoughAccounts` when some are missing.
    #[inline(always)]
    pub fn of_user(accounts: &'a mut [AccountView], side: u8) -> Result<Self, ProgramError> {
        let [config, integrator, service_signer, partner_wallet, user, rest @ ..] = accounts else {
            return Err(not_enough_accounts());
        };
        let (market, price, rest) = split_market(rest, side)?;
        let [program, ..] = rest else {
            return Err(not_enough_accounts());
        };
        let roles = Roles::User { service_signer, partner_wallet, user };
        Self::parse(config, integrator, roles, market, price, program, None)
    }

    /// The accounts of a vault's trade; `NotEnoughAccounts` when some are missing.
    #[inline(always)]
    pub fn of_vault(accounts: &'a mut [AccountView], side: u8) -> Result<Self, ProgramError> {
        let [config, integrator, executive, rest @ ..] = accounts else {
            return Err(not_enough_accounts());
        };
        let (market, price, rest) = split_market(rest, side)?;
        let [payer, receipt, system_program, program, ..] = rest else {
            return Err(not_enough_accounts());
        };
        let order = OrderAccounts { payer, receipt, system_program };
        Self::parse(config, integrator, Roles::Vault { executive }, market, price, program, Some(order))
    }

    #[inline(always)] // it has more arguments than the target passes to a function
    fn parse(
        config: &'a mut AccountView,
        integrator: &'a mut AccountView,
        roles: Roles<'a>,
        market: &'a [AccountView],
        usdc_price_account: Option<&'a AccountView>,
        program: &'a AccountView,
        order: Option<OrderAccounts<'a>>,
    ) -> Result<Self, ProgramError> {
        let [trader_usdc, trader_gold, treasury_authority, treasury_usdc, treasury_gold, fee_usdc, usdc_mint, gold_mint, price_account, token_program, gold_token_program] =
            market
        else {
            return Err(not_enough_accounts());
        };
        Ok(Self {
            config,
            integrator,
            roles,
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
            gold_token_program,
            usdc_price_account,
            program,
            order,
        })
    }

    /// A user, or the partner for its vault: the owner of the trader's token accounts.
    #[inline(always)]
    pub fn trader(&self) -> &AccountView {
        match self.roles {
            Roles::User { user, .. } => user,
            Roles::Vault { .. } => self.integrator,
        }
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
        self.check_purchase(&config, now)?;
        let fee_bps = check_fee(&config, &integrator, limits)?;
        Ok(Terms {
            fee_bps,
            quotation,
            max_trade_usdc: config.settings.max_trade_usdc.get(),
            market_state: config.market_state,
            treasury_bump: config.treasury_bump,
            partner_id: integrator.partner_id,
            integrator_bump: integrator.bump,
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
            Roles::User { service_signer, partner_wallet, user } => {
                require_signer(service_signer)?;
                require(config.is_service_signer(service_signer.address()), KaratError::Unauthorized)?;
                require_signer(partner_wallet)?;
                let is_wallet = partner_wallet.address() == &integrator.partner_wallet;
                require(is_wallet, KaratError::Unauthorized)?;
                require_signer(user)
            }
            Roles::Vault { executive } => {
                require_signer(executive)?;
                require(integrator.is_executive(executive.address()), KaratError::NotExecutive)
            }
        }
    }

    /// token programs, mints
    /// - must be those of the two tokens, the mints those of the config
    ///
    /// treasury authority, treasury accounts, fee account
    /// - must be those of the config
    #[inline(always)]
    fn check_addresses(&self, config: &Config) -> ProgramResult {
        config.usdc().require(self.usdc_mint, self.token_program)?;
        config.gold().require(self.gold_mint, self.gold_token_program)?;
        require_address(self.treasury_authority, &config.treasury_authority)?;
        require_address(self.treasury_usdc, &config.treasury_usdc)?;
        require_address(self.treasury_gold, &config.treasury_gold)?;
        require_address(self.fee_usdc, &config.fee_usdc)
    }

    /// fee account
    /// - must not be an account of the vault
    ///
    /// vault's token accounts
    /// - must be those of the integrator
    #[inline(always)]
    fn check_aliases(&self, config: &Config, integrator: &Integrator) -> ProgramResult {
        let fee = &config.fee_usdc;
        require(fee != &integrator.vault_usdc && fee != &integrator.vault_gold, KaratError::AccountAlias)?;
        match self.roles {
            Roles::User { user, .. } => self.check_user_aliases(user.address(), config, integrator),
            Roles::Vault { .. } => {
                require_address(self.trader_usdc, &integrator.vault_usdc)?;
                require_address(self.trader_gold, &integrator.vault_gold)
            }
        }
    }

    /// user
    /// - must not be the treasury, the escrow or the partner, which owns its vault
    ///
    /// user's token accounts
    /// - must differ from each other and from every treasury, fee, escrow and vault account
    #[inline(always)]
    fn check_user_aliases(&self, user: &Address, config: &Config, integrator: &Integrator) -> ProgramResult {
        let (usdc, gold) = (self.trader_usdc.address(), self.trader_gold.address());
        let authorities = [&config.treasury_authority, &config.escrow_authority, self.integrator.address()];
        require(!authorities.contains(&user), KaratError::AccountAlias)?;
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
        let (usdc, gold) = (&config.usdc(), &config.gold());
        let (trader, treasury) = (self.trader().address(), &config.treasury_authority);
        Ok(Balances {
            trader_usdc: token::owned_balance(self.trader_usdc, usdc, trader)?,
            trader_gold: token::owned_balance(self.trader_gold, gold, trader)?,
            treasury_usdc: token::owned_balance(self.treasury_usdc, usdc, treasury)?,
            treasury_gold: token::owned_balance(self.treasury_gold, gold, treasury)?,
            fee_usdc: token::load(self.fee_usdc, *usdc)?.amount.get(),
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
        let tradable = config.market_state == Config::MARKET_OPEN || config.settings.max_age_closed.get() > 0;
        require(tradable, KaratError::MarketClosed)
    }

    /// A trade in which GOLD leaves the treasury.
    ///
    /// USDC
    /// - must be worth what it is paid for
    ///
    /// GOLD
    /// - must be backed, the whole supply of it, if the settings want it
    #[inline(always)]
    fn check_purchase(&self, config: &Config, now: i64) -> ProgramResult {
        let Some(usdc_price_account) = self.usdc_price_account else {
            return Ok(());
        };
        oracle::require_peg(usdc_price_account, &config.settings, now)?;
        config.require_backed_outflow(token::supply(self.gold_mint)?, now)
    }

    /// Moves tokens of the trader: a user has signed for them, for the vault the program signs.
    #[inline(always)]
    pub fn pay_from_trader(&self, transfer: &Transfer, terms: &Terms) -> ProgramResult {
        match self.roles {
            Roles::User { .. } => transfer.invoke(),
            Roles::Vault { .. } => {
                let bump = [terms.integrator_bump];
                let id = &terms.partner_id;
                transfer.invoke_signed(&[Seed::from(INTEGRATOR_SEED), Seed::from(id), Seed::from(&bump)])
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
    /// - must stay within the limits of the settings
    ///
    /// side of a vault's trade
    /// - must not be the opposite of the last one, so soon after it
    #[inline(never)]
    pub fn count(&mut self, program_id: &Address, terms: &Terms, exchange: &Exchange) -> Result<u64, ProgramError> {
        let is_vault = self.order.is_some();
        if let Some(accounts) = &mut self.order {
            let Exchange { id, expire_at, .. } = exchange;
            let order = Order { integrator: self.integrator.address(), id, expire_at: *expire_at };
            accounts.execute_once(program_id, &order)?;
        }
        let (volume, moved) = exchange.flow()?;
        let mut integrator = state::load_mut::<Integrator>(self.integrator, program_id)?;
        let mut config = state::load_mut::<Config>(self.config, program_id)?;
        if is_vault {
            integrator.take_side(exchange.side, terms.now, config.settings.opposite_side_seconds.get())?;
        }
        integrator.count_volume(terms.now, volume)?;
        config.count_flow(terms.now, &moved)?;
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
    #[inline(never)]
    pub fn emit(&self, terms: &Terms, seq: u64, exchange: &Exchange) -> ProgramResult {
        let (actor, counterparty) = match self.roles {
            Roles::User { partner_wallet, user, .. } => (user, partner_wallet),
            Roles::Vault { executive } => (executive, &*self.integrator),
        };
        Event {
            instruction: EVENT,
            version: EVENT_VERSION,
            kind: exchange.kind,
            partner_id: terms.partner_id,
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
/// - must not be above what the settings allow
#[inline(always)]
fn check_fee(config: &Config, integrator: &Integrator, limits: &TradeLimits) -> Result<u16, ProgramError> {
    let fee_bps = integrator.fee_bps(config.market_state);
    require(fee_bps <= limits.max_fee_bps.get(), KaratError::FeeTooHigh)?;
    require(fee_bps <= config.settings.max_fee_bps.get(), KaratError::FeeTooHigh)?;
    Ok(fee_bps)
}

/// What the slices of a trade's accounts are: those of the market, the price of USDC if GOLD is bought, and the rest.
type Split<'a> = (&'a [AccountView], Option<&'a AccountView>, &'a mut [AccountView]);

#[inline(always)]
fn split_market(accounts: &mut [AccountView], side: u8) -> Result<Split<'_>, ProgramError> {
    let Some((market, rest)) = accounts.split_at_mut_checked(MARKET_ACCOUNTS) else {
        return Err(not_enough_accounts());
    };
    if side != SIDE_BUY {
        return Ok((market, None, rest));
    }
    let Some((price, rest)) = rest.split_first_mut() else {
        return Err(not_enough_accounts());
    };
    Ok((market, Some(price), rest))
}
