use super::{is_zero, State, Window, U16, U32, U64};
use crate::error::{require, KaratError};
use pinocchio::{error::ProgramError, Address};

/// Settings of the whole program; one account, PDA `["config"]`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Config {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    pub treasury_bump: u8,
    pub escrow_bump: u8,
    pub market_state: u8,
    pub paused: u8,
    pub reserved_header: [u8; 1],
    pub admin: Address,
    /// Zero when nothing is proposed.
    pub pending_admin: Address,
    pub guardian: Address,
    /// Zero: an empty slot.
    pub service_signers: [Address; 2],
    pub usdc_mint: Address,
    pub gold_mint: Address,
    pub treasury_authority: Address,
    pub treasury_usdc: Address,
    pub treasury_gold: Address,
    pub fee_usdc: Address,
    pub escrow_authority: Address,
    pub escrow_gold: Address,
    pub price_account: Address,
    pub price_owner: Address,
    pub feed_id: [u8; 32],
    /// USD per troy ounce x 10^8, inclusive.
    pub min_price_e8: U64,
    pub max_price_e8: U64,
    /// Base units of USDC, before the fee.
    pub max_trade_usdc: U64,
    /// Seconds.
    pub max_age_open: U32,
    /// Seconds; 0: no trading while the market is closed.
    pub max_age_closed: U32,
    pub max_conf_bps: U16,
    pub max_fee_bps: U16,
    /// Zero if the role is not assigned.
    pub operations: Address,
    /// Zero if the role is not assigned.
    pub market: Address,
    /// Zero if the role is not assigned.
    pub attestor: Address,
    /// Who may own the accounts that receive inventory; zero: an empty slot.
    pub withdraw_owners: [Address; WITHDRAW_OWNERS],
    /// Seconds from the proposal of a partner's authority by the admin until it can be applied.
    pub recovery_delay: U32,
    /// Seconds.
    pub max_attestation_age: U32,
    /// Base units in 24 hours; 0: no limit.
    pub daily_outflow_usdc: U64,
    pub daily_outflow_gold: U64,
    /// Base units of GOLD that open redemptions need.
    pub escrow_open: U64,
    /// Events of escrow so far: they are counted apart, so that a redemption never outdates what the admin is about to sign.
    pub escrow_seq: U64,
    /// Events so far, without those of escrow.
    pub seq: U64,
    /// What left the treasury.
    pub usdc_outflow: Window,
    pub gold_outflow: Window,
    pub reserved: [u8; 60],
}

const _: () = assert!(size_of::<Config>() == 1280);

/// Slots for the owners of accounts that may receive inventory.
pub const WITHDRAW_OWNERS: usize = 4;

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for Config {
    const KIND: u8 = 1;
}

impl Config {
    pub const MARKET_OPEN: u8 = 0;
    pub const MARKET_CLOSED: u8 = 1;
    pub const PAUSED_TRADE: u8 = 1;
    pub const PAUSED_PARTNER: u8 = 2;
    pub const PAUSED_WITHDRAW: u8 = 4;
    pub const PAUSED_REDEEM: u8 = 8;
    pub const PAUSED_SETTLE: u8 = 16;
    pub const PAUSED_ALL: u8 = 31;

    /// Whether these are bits of `paused`, at least one.
    pub fn is_pause_mask(mask: u8) -> bool {
        mask > 0 && mask <= Self::PAUSED_ALL
    }

    /// The number of the next event, counted.
    pub fn next_seq(&mut self) -> Result<u64, ProgramError> {
        let seq = self.seq.get().checked_add(1).ok_or(KaratError::ArithmeticOverflow)?;
        self.seq.set(seq);
        Ok(seq)
    }

    /// The number of the next event of escrow, counted.
    pub fn next_escrow_seq(&mut self) -> Result<u64, ProgramError> {
        let seq = self.escrow_seq.get().checked_add(1).ok_or(KaratError::ArithmeticOverflow)?;
        self.escrow_seq.set(seq);
        Ok(seq)
    }

    /// Whether `address` fills one of the signer slots.
    #[inline(always)]
    pub fn is_service_signer(&self, address: &Address) -> bool {
        !is_zero(address) && (address == &self.service_signers[0] || address == &self.service_signers[1])
    }

    /// Returns whether `address` is the operations key; false for every address while it is zero.
    #[inline(always)]
    pub fn is_operations(&self, address: &Address) -> bool {
        !is_zero(address) && address == &self.operations
    }

    /// Counts what leaves the treasury, base units; `DailyLimitExceeded` when that is more than the config allows.
    pub fn count_outflow(&mut self, now: i64, usdc: u64, gold: u64) -> Result<(), ProgramError> {
        self.usdc_outflow.add(now, usdc, self.daily_outflow_usdc.get())?;
        self.gold_outflow.add(now, gold, self.daily_outflow_gold.get())
    }

    /// What `apply` replaces.
    pub fn settings(&self) -> Settings {
        Settings {
            guardian: self.guardian,
            service_signers: self.service_signers,
            price_account: self.price_account,
            price_owner: self.price_owner,
            feed_id: self.feed_id,
            min_price_e8: self.min_price_e8,
            max_price_e8: self.max_price_e8,
            max_trade_usdc: self.max_trade_usdc,
            max_age_open: self.max_age_open,
            max_age_closed: self.max_age_closed,
            max_conf_bps: self.max_conf_bps,
            max_fee_bps: self.max_fee_bps,
            operations: self.operations,
            market: self.market,
            attestor: self.attestor,
            withdraw_owners: self.withdraw_owners,
            recovery_delay: self.recovery_delay,
            max_attestation_age: self.max_attestation_age,
            daily_outflow_usdc: self.daily_outflow_usdc,
            daily_outflow_gold: self.daily_outflow_gold,
        }
    }

    /// Replaces everything that `Settings` holds.
    pub fn apply(&mut self, settings: &Settings) {
        self.guardian = settings.guardian;
        self.service_signers = settings.service_signers;
        self.price_account = settings.price_account;
        self.price_owner = settings.price_owner;
        self.feed_id = settings.feed_id;
        self.min_price_e8 = settings.min_price_e8;
        self.max_price_e8 = settings.max_price_e8;
        self.max_trade_usdc = settings.max_trade_usdc;
        self.max_age_open = settings.max_age_open;
        self.max_age_closed = settings.max_age_closed;
        self.max_conf_bps = settings.max_conf_bps;
        self.max_fee_bps = settings.max_fee_bps;
        self.operations = settings.operations;
        self.market = settings.market;
        self.attestor = settings.attestor;
        self.withdraw_owners = settings.withdraw_owners;
        self.recovery_delay = settings.recovery_delay;
        self.max_attestation_age = settings.max_attestation_age;
        self.daily_outflow_usdc = settings.daily_outflow_usdc;
        self.daily_outflow_gold = settings.daily_outflow_gold;
    }
}

/// What `initialize` and `update_config` set, in the order of their arguments.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Settings {
    pub guardian: Address,
    pub service_signers: [Address; 2],
    pub price_account: Address,
    pub price_owner: Address,
    pub feed_id: [u8; 32],
    pub min_price_e8: U64,
    pub max_price_e8: U64,
    pub max_trade_usdc: U64,
    pub max_age_open: U32,
    pub max_age_closed: U32,
    pub max_conf_bps: U16,
    pub max_fee_bps: U16,
    pub operations: Address,
    pub market: Address,
    pub attestor: Address,
    pub withdraw_owners: [Address; WITHDRAW_OWNERS],
    pub recovery_delay: U32,
    pub max_attestation_age: U32,
    pub daily_outflow_usdc: U64,
    pub daily_outflow_gold: U64,
}

/// Limits that no settings may exceed: the holder of the admin key can't remove them.
pub const HIGHEST_FEE_BPS: u16 = 1_000;
pub const HIGHEST_CONF_BPS: u16 = 500;
/// Seconds.
pub const HIGHEST_AGE_OPEN: u32 = 300;
/// Seconds: seven days.
pub const HIGHEST_AGE_CLOSED: u32 = 604_800;
/// Seconds: thirty days. No delay can be taken back, so a slip must not be for ever.
pub const HIGHEST_RECOVERY_DELAY: u32 = 2_592_000;

impl Settings {
    /// settings
    /// - guardian, price account and price owner must be set
    /// - the two service signers must differ, unless both slots are empty
    /// - the price band must be positive and in order
    /// - there must be a positive largest trade and a positive age in the open market
    /// - ages, confidence, fee and recovery delay must be within the ceilings of the code
    pub fn validate(&self) -> Result<(), ProgramError> {
        let keys = !is_zero(&self.guardian) && !is_zero(&self.price_account) && !is_zero(&self.price_owner);
        let signers = self.service_signers[0] != self.service_signers[1] || is_zero(&self.service_signers[0]);
        let band = self.min_price_e8.get() > 0 && self.min_price_e8.get() <= self.max_price_e8.get();
        let limits = self.max_trade_usdc.get() > 0 && self.max_age_open.get() > 0;
        let ages = self.max_age_open.get() <= HIGHEST_AGE_OPEN && self.max_age_closed.get() <= HIGHEST_AGE_CLOSED;
        let bps = self.max_conf_bps.get() <= HIGHEST_CONF_BPS && self.max_fee_bps.get() <= HIGHEST_FEE_BPS;
        let recovery = self.recovery_delay.get() <= HIGHEST_RECOVERY_DELAY;
        require(keys && signers && band && limits && ages && bps && recovery, KaratError::InvalidArgument)
    }
}
