//! Clock and rent, read by `sol_get_sysvar`: the typed getters of pinocchio 0.11.2 work on another target only.

use crate::error::KaratError;
use pinocchio::{
    error::ProgramError,
    sysvars::{clock::CLOCK_ID, get_sysvar, rent::RENT_ID},
};

const CLOCK_UNIX_TIMESTAMP: usize = 32;
/// Bytes that every account is charged for in addition to its data.
const ACCOUNT_OVERHEAD: u64 = 128;
/// 1.0 and 2.0 as f64: the two thresholds of rent exemption that exist.
const THRESHOLD_ONE: u64 = 0x3ff0_0000_0000_0000;
const THRESHOLD_TWO: u64 = 0x4000_0000_0000_0000;

/// Unix seconds by the chain's clock.
pub fn unix_timestamp() -> Result<i64, ProgramError> {
    let mut bytes = [0u8; 8];
    get_sysvar(&mut bytes, &CLOCK_ID, CLOCK_UNIX_TIMESTAMP)?;
    Ok(i64::from_le_bytes(bytes))
}

/// Lamports that make an account of `size` bytes exempt from rent.
pub fn rent_exemption(size: usize) -> Result<u64, ProgramError> {
    let mut bytes = [[0u8; 8]; 2]; // lamports per byte-year u64, exemption threshold f64
    get_sysvar(bytes.as_flattened_mut(), &RENT_ID, 0)?;
    let years = match u64::from_le_bytes(bytes[1]) {
        THRESHOLD_ONE => 1,
        THRESHOLD_TWO => 2,
        _ => return Err(ProgramError::UnsupportedSysvar),
    };
    let lamports_per_byte = u64::from_le_bytes(bytes[0]).wrapping_mul(years);
    let rent = crate::math::mul_div_floor(ACCOUNT_OVERHEAD + size as u64, lamports_per_byte, 1);
    Ok(rent.map_err(|_| KaratError::ArithmeticOverflow)?)
}
