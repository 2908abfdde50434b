//! The price: a Pyth `PriceUpdateV2` account that the config names.
//! Layout (pythnet-sdk and the receiver SDK): 0 discriminator [8], 8 write authority [32], 40 verification level (u8, 1 = full),
//! 41 feed id [32], 73 price i64, 81 confidence u64, 89 exponent i32, 93 publish time i64, then fields that are not used here.

use crate::{
    error::{require, KaratError},
    math::{confidence_within, Price, MIN_EXPONENT},
    state::{Config, I32, I64, U64},
};
use core::cmp::Ordering;
use pinocchio::{error::ProgramError, AccountView};

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

/// Reads the price account.
///
/// account
/// - must be the address that the config names
/// - must be owned by the program that the config names
#[inline(always)]
pub fn load(account: &AccountView, config: &Config, now: i64) -> Result<Quotation, ProgramError> {
    require(account.address() == &config.price_account, KaratError::OracleInvalidAccount)?;
    require(account.owned_by(&config.price_owner), KaratError::OracleInvalidAccount)?;
    let data = account.try_borrow()?;
    Ok(read(&data, config, now)?)
}

/// Reads the bytes of a price account; `now` is unix seconds.
///
/// update
/// - must be long enough and have the discriminator of a price update
/// - must be fully verified
/// - must be of the feed that the config names
/// - must have a positive price with an exponent from -12 to 0
/// - must be no older than the limit of the current market state, and at most 10 s from the future
/// - must have a confidence within the limit
/// - must be inside the price band
pub fn read(data: &[u8], config: &Config, now: i64) -> Result<Quotation, KaratError> {
    if data.len() < MIN_LENGTH {
        return Err(KaratError::OracleInvalidAccount);
    }
    // SAFETY: the length was checked; `PriceUpdate` is bytes only and any bytes are a value of it.
    let update = unsafe { &*(data.as_ptr() as *const PriceUpdate) };
    check(update.discriminator == DISCRIMINATOR, KaratError::OracleInvalidAccount)?;
    check(update.verification == FULLY_VERIFIED, KaratError::OracleNotVerified)?;
    check(update.feed_id == config.feed_id, KaratError::OracleFeedMismatch)?;
    let (value, exponent) = (update.price.get(), update.exponent.get());
    check(value > 0, KaratError::OraclePriceInvalid)?;
    check(exponent >= MIN_EXPONENT && exponent <= 0, KaratError::OracleExponent)?;
    let price = Price { value: value as u64, exponent };

    let max_age =
        if config.market_state == Config::MARKET_OPEN { &config.max_age_open } else { &config.max_age_closed };
    let publish_time = update.publish_time.get();
    check(publish_time <= now + MAX_FUTURE_SECONDS, KaratError::OracleFuture)?;
    check(publish_time >= now - max_age.get() as i64, KaratError::OracleStale)?;

    let confidence = update.confidence.get();
    let narrow = confidence_within(confidence, price.value, config.max_conf_bps.get());
    check(narrow, KaratError::OracleConfidence)?;
    let high_enough = price.compare_e8(config.min_price_e8.get()) != Ordering::Less;
    let low_enough = price.compare_e8(config.max_price_e8.get()) != Ordering::Greater;
    check(high_enough && low_enough, KaratError::OracleOutOfBand)?;
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
