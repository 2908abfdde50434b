//! What `buy` and `sell` share: their accounts, the checks before any amount is looked at, and the record after the transfers.

use super::not_enough_accounts;
use crate::{
    accounts::{require_address, require_signer},
    error::{require, KaratError},
    event::{Event, EVENT_VERSION},
    instruction::TradeLimits,
    oracle::{self, Quotation},
    state::{self, Config, Integrator},
    sysvar::unix_timestamp,
    token::{self, TOKEN_PROGRAM_ID},
};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// The accounts of a trade, in the order of the instruction.
pub struct TradeAccounts<'a> {
    pub config: &'a AccountView,
    pub integrator: &'a mut AccountView,
    pub service_signer: &'a AccountView,
    pub partner_wallet: &'a AccountView,
    pub user: &'a AccountView,
    pub user_usdc: &'a AccountView,
    pub user_gold: &'a AccountView,
    pub treasury_authority: &'a AccountView,
    pub treasury_usdc: &'a AccountView,
    pub treasury_gold: &'a AccountView,
    pub fee_usdc: &'a AccountView,
    pub usdc_mint: &'a AccountView,
    pub gold_mint: &'a AccountView,
    pub price_account: &'a AccountView,
    pub token_program: &'a AccountView,
}

/// Balances of the five token accounts of a trade, base units.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Balances {
    pub user_usdc: u64,
    pub user_gold: u64,
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
    pub before: Balances,
}

/// The outcome of a trade, for the event; amounts in base units, in and out from the user.
pub struct Outcome {
    pub kind: u8,
    pub side: u8,
    /// Number of the event.
    pub seq: u64,
    pub amount_in: u64,
    pub amount_out: u64,
    pub fee: u64,
}

impl<'a> TradeAccounts<'a> {
    /// `NotEnoughAccounts` when some are missing.
    pub fn parse(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [config, integrator, service_signer, partner_wallet, user, user_usdc, user_gold, treasury_authority, treasury_usdc, treasury_gold, fee_usdc, usdc_mint, gold_mint, price_account, token_program, ..] =
            accounts
        else {
            return Err(not_enough_accounts());
        };
        Ok(Self {
            config,
            integrator,
            service_signer,
            partner_wallet,
            user,
            user_usdc,
            user_gold,
            treasury_authority,
            treasury_usdc,
            treasury_gold,
            fee_usdc,
            usdc_mint,
            gold_mint,
            price_account,
            token_program,
        })
    }

    /// Checks everything that doesn't depend on the amount.
    pub fn check(&self, program_id: &Address, limits: &TradeLimits) -> Result<Terms, ProgramError> {
        let config = state::load::<Config>(self.config, program_id)?;
        let integrator = state::load::<Integrator>(self.integrator, program_id)?;
        self.check_signers(&config, &integrator)?;
        self.check_addresses(&config)?;
        self.check_aliases(&config, &integrator)?;
        let before = self.check_token_accounts(&config)?;
        let now = unix_timestamp()?;
        check_circumstances(&config, &integrator, limits, now)?;
        let quotation = oracle::load(self.price_account, &config, now)?;
        let fee_bps = check_fee(&config, &integrator, limits)?;
        Ok(Terms {
            fee_bps,
            quotation,
            max_trade_usdc: config.max_trade_usdc.get(),
            market_state: config.market_state,
            treasury_bump: config.treasury_bump,
            before,
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
    #[inline(always)]
    fn check_signers(&self, config: &Config, integrator: &Integrator) -> ProgramResult {
        require_signer(self.service_signer)?;
        require(config.is_service_signer(self.service_signer.address()), KaratError::Unauthorized)?;
        require_signer(self.partner_wallet)?;
        let is_wallet = self.partner_wallet.address() == &integrator.partner_wallet;
        require(is_wallet, KaratError::Unauthorized)?;
        require_signer(self.user)
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

    /// user
    /// - must not be the treasury, the escrow or the vault authority
    ///
    /// user's token accounts
    /// - must differ from each other and from every treasury, fee, escrow and vault account
    ///
    /// fee account
    /// - must not be an account of the vault
    #[inline(always)]
    fn check_aliases(&self, config: &Config, integrator: &Integrator) -> ProgramResult {
        let (user, usdc, gold) = (self.user.address(), self.user_usdc.address(), self.user_gold.address());
        let is_authority =
            user == &config.treasury_authority || user == &config.escrow_authority || user == &integrator.vault;
        require(!is_authority, KaratError::AccountAlias)?;
        require(usdc != gold, KaratError::AccountAlias)?;
        let house = [
            &config.treasury_usdc,
            &config.treasury_gold,
            &config.fee_usdc,
            &config.escrow_gold,
            &integrator.vault_usdc,
            &integrator.vault_gold,
        ];
        for account in house {
            require(usdc != account && gold != account, KaratError::AccountAlias)?;
        }
        let fee = &config.fee_usdc;
        require(fee != &integrator.vault_usdc && fee != &integrator.vault_gold, KaratError::AccountAlias)
    }

    /// every token account
    /// - must be an account of the token program, initialized and not frozen
    /// - must be of the right mint
    ///
    /// user's and treasury's token accounts
    /// - must belong to the user and to the treasury authority
    #[inline(always)]
    fn check_token_accounts(&self, config: &Config) -> Result<Balances, ProgramError> {
        let (usdc, gold) = (&config.usdc_mint, &config.gold_mint);
        let (user, treasury) = (self.user.address(), &config.treasury_authority);
        Ok(Balances {
            user_usdc: token::owned_balance(self.user_usdc, usdc, user)?,
            user_gold: token::owned_balance(self.user_gold, gold, user)?,
            treasury_usdc: token::owned_balance(self.treasury_usdc, usdc, treasury)?,
            treasury_gold: token::owned_balance(self.treasury_gold, gold, treasury)?,
            fee_usdc: token::load(self.fee_usdc, usdc)?.amount.get(),
        })
    }

    /// Counts the trade in the integrator, before any transfer; gives the number of its event.
    pub fn count(&mut self, program_id: &Address) -> Result<u64, ProgramError> {
        state::load_mut::<Integrator>(self.integrator, program_id)?.next_seq()
    }

    /// balances after the transfers
    /// - must be exactly the computed ones
    pub fn check_balances(&self, expected: &Balances) -> ProgramResult {
        let after = Balances {
            user_usdc: token::balance(self.user_usdc)?,
            user_gold: token::balance(self.user_gold)?,
            treasury_usdc: token::balance(self.treasury_usdc)?,
            treasury_gold: token::balance(self.treasury_gold)?,
            fee_usdc: token::balance(self.fee_usdc)?,
        };
        require(&after == expected, KaratError::BalanceMismatch)
    }

    /// Logs the event of the trade.
    pub fn log(&self, program_id: &Address, terms: &Terms, outcome: &Outcome) -> ProgramResult {
        let partner_id = state::load::<Integrator>(self.integrator, program_id)?.partner_id;
        Event {
            version: EVENT_VERSION,
            kind: outcome.kind,
            partner_id,
            seq: outcome.seq.into(),
            side: outcome.side,
            amount_in: outcome.amount_in.into(),
            amount_out: outcome.amount_out.into(),
            fee: outcome.fee.into(),
            fee_bps: terms.fee_bps.into(),
            price: terms.quotation.price.value.into(),
            exponent: terms.quotation.price.exponent.into(),
            confidence: terms.quotation.confidence.into(),
            publish_time: terms.quotation.publish_time.into(),
            market_state: terms.market_state,
            actor: *self.user.address(),
            counterparty: *self.partner_wallet.address(),
        }
        .log();
        Ok(())
    }
}

/// config
/// - must not pause trades
/// - must allow trades in the current state of the market
///
/// integrator
/// - must be active
///
/// expire_at
/// - must not have passed
#[inline(always)]
fn check_circumstances(config: &Config, integrator: &Integrator, limits: &TradeLimits, now: i64) -> ProgramResult {
    require(config.paused & Config::PAUSED_TRADE == 0, KaratError::Paused)?;
    require(integrator.status == Integrator::ACTIVE, KaratError::IntegratorSuspended)?;
    require(now <= limits.expire_at.get(), KaratError::Expired)?;
    let tradable = config.market_state == Config::MARKET_OPEN || config.max_age_closed.get() > 0;
    require(tradable, KaratError::MarketClosed)
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

/// `before + amount`, base units.
#[inline(always)]
pub fn plus(before: u64, amount: u64) -> Result<u64, ProgramError> {
    Ok(before.checked_add(amount).ok_or(KaratError::ArithmeticOverflow)?)
}
