//! Prices: Pyth `PriceUpdateV2` accounts that the settings name, one of gold and one of USDC.
//! Layout (pythnet-sdk and the receiver SDK): 0 discriminator [8], 8 write authority [32], 40 verification level (u8, 1 = full),
//! 41 feed id [32], 73 price i64, 81 confidence u64, 89 exponent i32, 93 publish time i64, then fields that are not used here.

use crate::{
    error::{require, KaratError},
    math::{confidence_within, Price, MIN_EXPONENT},
    state::{Config, Settings, I32, I64, U64},
};
use core::cmp::Ordering;
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// First 8 bytes of a `PriceUpdateV2`.
pub const DISCRIMINATOR: [u8; 8] = [0x22, 0xf1, 0x23, 0x63, 0x9d, 0x7e, 0xf4, 0xcd];
/// Shortest valid account.
pub const MIN_LENGTH: usize = 133;
/// Verification level of an update that all guardians' quorum signed.
pub const FULLY_VERIFIED: u8 = 1;
/// How far ahead of the chain's clock a publish time may be, seconds.
pub const MAX_FUTURE_SECONDS: i64 = 10;

/// The start of the account.
#[repr(C)]
struct PriceUpdate {
    discriminator: [u8; 8],
    write_authority: [u8; 32],
    verification: u8,
    feed_id: [u8; 32],
    price: I64,
    confidence: U64,
    exponent: I32,
    publish_time: I64,
}

const _: () = assert!(align_of::<PriceUpdate>() == 1 && size_of::<PriceUpdate>() == 101);

/// A price that passed every check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotation {
    pub price: Price,
    pub confidence: u64,
    pub publish_time: i64,
}

/// What an update must be to be believed.
struct Feed<'a> {
    id: &'a [u8; 32],
    /// Seconds.
    max_age: u32,
    max_conf_bps: u16,
}

/// Reads the price of gold.
///
/// account
/// - must be the address that the settings name, and owned by the program that they name
///
/// update
/// - must pass the checks of `read`; its age may be that of the current market state
/// - must be inside the price band
#[inline(always)]
pub fn load(account: &AccountView, config: &Config, now: i64) -> Result<Quotation, ProgramError> {
    let settings = &config.settings;
    require_account(account, &settings.price_account, settings)?;
    let is_open = config.market_state == Config::MARKET_OPEN;
    let max_age = if is_open { &settings.max_age_open } else { &settings.max_age_closed };
    let feed = Feed { id: &settings.feed_id, max_age: max_age.get(), max_conf_bps: settings.max_conf_bps.get() };
    let quotation = read(&&account.try_borrow()?[..], &feed, now)?;
    let high_enough = quotation.price.compare_e8(settings.min_price_e8.get()) != Ordering::Less;
    let low_enough = quotation.price.compare_e8(settings.max_price_e8.get()) != Ordering::Greater;
    require(high_enough && low_enough, KaratError::OracleOutOfBand)?;
    Ok(quotation)
}

/// Checks what a dollar of USDC is worth: who pays with less must not get gold at par.
///
/// account
/// - must be the address that the settings name, and owned by the program that they name
///
/// update
/// - must pass the checks of `read`, whatever the state of the market, because USDC trades at all hours: else `UsdcOffPeg`
/// - must not be below the floor of the settings: else `UsdcOffPeg`
#[inline(always)]
pub fn require_peg(account: &AccountView, settings: &Settings, now: i64) -> ProgramResult {
    require_account(account, &settings.usdc_price_account, settings)?;
    let (max_age, max_conf_bps) = (settings.max_age_open.get(), settings.max_conf_bps.get());
    let feed = Feed { id: &settings.usdc_feed_id, max_age, max_conf_bps };
    let is_pegged = match read(&&account.try_borrow()?[..], &feed, now) {
        Ok(quotation) => quotation.price.compare_e8(settings.min_usdc_price_e8.get()) != Ordering::Less,
        Err(KaratError::OracleInvalidAccount) => return Err(KaratError::OracleInvalidAccount.into()),
        Err(_) => false,
    };
    require(is_pegged, KaratError::UsdcOffPeg)
}

#[inline(always)]
fn require_account(account: &AccountView, address: &Address, settings: &Settings) -> ProgramResult {
    let named = account.address() == address && account.owned_by(&settings.price_owner);
    require(named, KaratError::OracleInvalidAccount)
}

/// Reads the bytes of a price account; `now` is unix seconds.
///
/// update
/// - must be long enough and have the discriminator of a price update
/// - must be fully verified
/// - must be of the feed
/// - must have a positive price with an exponent from -12 to 0
/// - must be no older than the feed allows, and at most 10 s from the future
/// - must have a confidence within the limit
#[inline(never)]
fn read(data: &&[u8], feed: &Feed, now: i64) -> Result<Quotation, KaratError> {
    if data.len() < MIN_LENGTH {
        return Err(KaratError::OracleInvalidAccount);
    }
    // SAFETY: the length was checked; `PriceUpdate` is bytes only and any bytes are a value of it.
    let update = unsafe { &*(data.as_ptr() as *const PriceUpdate) };
    check(update.discriminator == DISCRIMINATOR, KaratError::OracleInvalidAccount)?;
    check(update.verification == FULLY_VERIFIED, KaratError::OracleNotVerified)?;
    check(&update.feed_id == feed.id, KaratError::OracleFeedMismatch)?;
    let (value, exponent) = (update.price.get(), update.exponent.get());
    check(value > 0, KaratError::OraclePriceInvalid)?;
    check(exponent >= MIN_EXPONENT && exponent <= 0, KaratError::OracleExponent)?;
    let price = Price { value: value as u64, exponent };

    // The chain's clock is far from the ends of 64 bits: neither sum can wrap.
    let publish_time = update.publish_time.get();
    check(publish_time <= now + MAX_FUTURE_SECONDS, KaratError::OracleFuture)?;
    check(publish_time >= now - feed.max_age as i64, KaratError::OracleStale)?;

    let confidence = update.confidence.get();
    check(confidence_within(confidence, price.value, feed.max_conf_bps), KaratError::OracleConfidence)?;
    Ok(Quotation { price, confidence, publish_time })
}

#[inline(always)]
fn check(condition: bool, error: KaratError) -> Result<(), KaratError> {
    if condition {
        Ok(())
    } else {
        Err(error)
    }
}
