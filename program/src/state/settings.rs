use super::{is_zero, U16, U32, U64};
use crate::error::{require, KaratError};
use pinocchio::{Address, ProgramResult};

/// Slots for the owners of accounts that may receive inventory.
pub const WITHDRAW_OWNERS: usize = 4;

/// What the admin changes by a proposal alone, all of it at once.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Settings {
    pub guardian: Address,
    /// Zero if the role is not assigned.
    pub attestor: Address,
    pub price_account: Address,
    /// The program that must own both price accounts.
    pub price_owner: Address,
    pub feed_id: [u8; 32],
    pub usdc_price_account: Address,
    pub usdc_feed_id: [u8; 32],
    /// USD per troy ounce x 10^8, inclusive.
    pub min_price_e8: U64,
    pub max_price_e8: U64,
    /// USD per USDC x 10^8, inclusive.
    pub min_usdc_price_e8: U64,
    /// Base units of USDC, before the fee.
    pub max_trade_usdc: U64,
    /// Base units in 24 hours out of the treasury, less what came in; `u64::MAX`: no limit.
    pub daily_outflow_usdc: U64,
    pub daily_outflow_gold: U64,
    /// Base units of GOLD in 24 hours; `u64::MAX`: no limit.
    pub daily_mint: U64,
    /// Who may own the accounts that receive inventory; zero: an empty slot.
    pub withdraw_owners: [Address; WITHDRAW_OWNERS],
    /// Seconds, for prices of both feeds.
    pub max_age_open: U32,
    /// Seconds; 0: no trading while the market is closed.
    pub max_age_closed: U32,
    /// Seconds from the proposal of a partner's authority by the admin until it can be applied.
    pub recovery_delay: U32,
    /// Seconds from the proposal of settings or of another admin until it can be carried out.
    pub change_delay: U32,
    /// Seconds from the announcement of a burn until it can be done.
    pub burn_delay: U32,
    /// Seconds after which a user may take back what was redeemed and not settled.
    pub redemption_timeout: U32,
    /// Seconds that a partner's vault must wait before it trades in the other direction.
    pub opposite_side_seconds: U32,
    /// Seconds.
    pub max_attestation_age: U32,
    pub max_conf_bps: U16,
    pub min_fee_bps: U16,
    pub max_fee_bps: U16,
    /// 1: no GOLD leaves the treasury unless the whole supply is attested; 0: it may.
    pub require_backing: u8,
    /// 1: the compliance key may freeze accounts; 0: it may not.
    pub freeze_enabled: u8,
}

const _: () = assert!(size_of::<Settings>() == 448 && align_of::<Settings>() == 1);

/// Limits that no settings may exceed: the holder of the admin key can't remove them.
pub const HIGHEST_FEE_BPS: u16 = 1_000;
pub const HIGHEST_CONF_BPS: u16 = 500;
/// Seconds.
pub const HIGHEST_AGE_OPEN: u32 = 300;
/// Seconds: seven days.
pub const HIGHEST_AGE_CLOSED: u32 = 604_800;
/// One dollar: a higher floor would stop every buy.
pub const HIGHEST_USDC_FLOOR_E8: u64 = 100_000_000;
const HOUR: u32 = 3_600;
const DAY: u32 = 86_400;
/// Seconds: thirty days. A slip must not be for ever.
pub const HIGHEST_DELAY: u32 = 30 * DAY;
/// Seconds: a quarter, in which reports come.
pub const HIGHEST_ATTESTATION_AGE: u32 = 92 * DAY;

impl Settings {
    /// settings
    /// - guardian, price accounts and price owner must be set
    /// - the price band must be positive and in order, the floor of USDC positive and at most one dollar
    /// - no limit may be zero: whoever wants none writes `u64::MAX`
    /// - ages, confidence and fees must be within the ceilings of the code, the fees in order
    /// - every delay must be within its bounds
    /// - the switches must be 0 or 1
    pub fn validate(&self) -> ProgramResult {
        let keys = [&self.guardian, &self.price_account, &self.usdc_price_account, &self.price_owner];
        let valid = !keys.into_iter().any(is_zero)
            && self.has_valid_limits()
            && self.has_valid_delays()
            && self.require_backing <= 1
            && self.freeze_enabled <= 1;
        require(valid, KaratError::InvalidArgument)
    }

    fn has_valid_limits(&self) -> bool {
        let limits = [
            &self.min_price_e8,
            &self.min_usdc_price_e8,
            &self.max_trade_usdc,
            &self.daily_outflow_usdc,
            &self.daily_outflow_gold,
            &self.daily_mint,
        ];
        limits.into_iter().all(|limit| limit.get() > 0)
            && self.min_price_e8.get() <= self.max_price_e8.get()
            && self.min_usdc_price_e8.get() <= HIGHEST_USDC_FLOOR_E8
            && self.max_conf_bps.get() <= HIGHEST_CONF_BPS
            && self.max_fee_bps.get() <= HIGHEST_FEE_BPS
            && self.min_fee_bps.get() <= self.max_fee_bps.get()
    }

    fn has_valid_delays(&self) -> bool {
        let within = |seconds: &U32, least: u32, most: u32| seconds.get() >= least && seconds.get() <= most;
        within(&self.max_age_open, 1, HIGHEST_AGE_OPEN)
            && within(&self.max_age_closed, 0, HIGHEST_AGE_CLOSED)
            && within(&self.recovery_delay, DAY, HIGHEST_DELAY)
            && within(&self.change_delay, DAY, HIGHEST_DELAY)
            && within(&self.burn_delay, HOUR, HIGHEST_DELAY)
            && within(&self.redemption_timeout, 30 * DAY, 365 * DAY)
            && within(&self.opposite_side_seconds, 0, DAY)
            && within(&self.max_attestation_age, 1, HIGHEST_ATTESTATION_AGE)
    }

    /// Whether these name another guardian than `present`.
    pub fn replaces_guardian(&self, present: &Self) -> bool {
        self.guardian != present.guardian
    }

    /// A proposal of another guardian, which the present one cannot cancel, must change nothing else: nothing may hide behind it.
    pub fn require_one_purpose(&self, present: &Self) -> ProgramResult {
        if !self.replaces_guardian(present) {
            return Ok(());
        }
        let rest = Self { guardian: present.guardian, ..*self };
        require(rest.as_bytes() == present.as_bytes(), KaratError::GuardianChangeMixed)
    }

    fn as_bytes(&self) -> &[u8] {
        // SAFETY: `repr(C)` of bytes only, alignment 1, no padding.
        unsafe { core::slice::from_raw_parts(self as *const Self as *const u8, size_of::<Self>()) }
    }
}
