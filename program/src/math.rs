//! Exact integer arithmetic of trades. The target has no 128-bit multiplication and division, so products are made of 32-bit
//! limbs and quotients by long division. Amounts are base units; both tokens have 6 decimals, so a price needs no other scale than its
//! own exponent. Rounding is always against the caller. A result that doesn't fit is `ArithmeticOverflow`, never a wrap.

use crate::error::KaratError;
use core::cmp::Ordering;

/// Basis points of the whole.
pub const BPS: u64 = 10_000;
/// Smallest exponent that a price may have; the largest is 0.
pub const MIN_EXPONENT: i32 = -12;
/// Exponent of the price band in the config.
const BAND_EXPONENT: u32 = 8;

const POWERS_OF_TEN: [u64; 13] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
];

/// An unsigned 128-bit integer; the order of the fields is the order of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wide {
    pub hi: u64,
    pub lo: u64,
}

impl Wide {
    /// `left x right`, exactly: four products of 32-bit limbs.
    #[inline(always)]
    pub fn product(left: u64, right: u64) -> Self {
        let (left_hi, left_lo) = (left >> 32, left & 0xffff_ffff);
        let (right_hi, right_lo) = (right >> 32, right & 0xffff_ffff);
        let low = left_lo.wrapping_mul(right_lo);
        let middle = left_hi.wrapping_mul(right_lo).wrapping_add(low >> 32);
        let cross = left_lo.wrapping_mul(right_hi).wrapping_add(middle & 0xffff_ffff);
        Self {
            hi: left_hi.wrapping_mul(right_hi).wrapping_add(middle >> 32).wrapping_add(cross >> 32),
            lo: (cross << 32) | (low & 0xffff_ffff),
        }
    }

    /// `(floor(self / divisor), self mod divisor)`; `ArithmeticOverflow` when the quotient needs more than 64 bits or the divisor is 0.
    /// Knuth, The Art of Computer Programming, vol. 2, 4.3.1, algorithm D, with 32-bit digits.
    pub fn divide(self, divisor: u64) -> Result<(u64, u64), KaratError> {
        if self.hi >= divisor {
            return Err(KaratError::ArithmeticOverflow); // also divisor 0
        }
        if self.hi == 0 {
            return Ok((self.lo / divisor, self.lo % divisor));
        }
        let shift = divisor.leading_zeros();
        let divisor = divisor << shift;
        let (divisor_hi, divisor_lo) = (divisor >> 32, divisor & 0xffff_ffff);
        let hi = if shift == 0 { self.hi } else { (self.hi << shift) | (self.lo >> (64 - shift)) };
        let lo = self.lo << shift;

        let first = digit(hi, lo >> 32, divisor_hi, divisor_lo);
        let rest = (hi << 32).wrapping_add(lo >> 32).wrapping_sub(first.wrapping_mul(divisor));
        let second = digit(rest, lo & 0xffff_ffff, divisor_hi, divisor_lo);
        let remainder = (rest << 32).wrapping_add(lo & 0xffff_ffff).wrapping_sub(second.wrapping_mul(divisor));
        Ok(((first << 32) | second, remainder >> shift))
    }
}

/// One 32-bit digit of the quotient: the estimate of `(high, next) / (divisor_hi, divisor_lo)`, corrected at most twice.
#[inline(always)]
fn digit(high: u64, next: u64, divisor_hi: u64, divisor_lo: u64) -> u64 {
    let mut estimate = high / divisor_hi;
    let mut rest = high - estimate.wrapping_mul(divisor_hi);
    while estimate >> 32 != 0 || estimate.wrapping_mul(divisor_lo) > ((rest << 32) | next) {
        estimate -= 1;
        rest += divisor_hi;
        if rest >> 32 != 0 {
            break;
        }
    }
    estimate
}

/// `floor(left x right / divisor)`.
pub fn mul_div_floor(left: u64, right: u64, divisor: u64) -> Result<u64, KaratError> {
    Wide::product(left, right).divide(divisor).map(|(quotient, _)| quotient)
}

/// `ceil(left x right / divisor)`.
pub fn mul_div_ceil(left: u64, right: u64, divisor: u64) -> Result<u64, KaratError> {
    let (quotient, remainder) = Wide::product(left, right).divide(divisor)?;
    if remainder == 0 {
        return Ok(quotient);
    }
    quotient.checked_add(1).ok_or(KaratError::ArithmeticOverflow)
}

/// USD per troy ounce: `value x 10^exponent`, `value` positive, `exponent` from -12 to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub value: u64,
    pub exponent: i32,
}

impl Price {
    /// `10^-exponent`.
    #[inline(always)]
    fn scale(&self) -> u64 {
        power_of_ten(self.exponent.unsigned_abs())
    }

    /// How this price compares with `bound`, in USD per troy ounce x 10^8; exact for every exponent.
    pub fn compare_e8(&self, bound: u64) -> Ordering {
        let digits = self.exponent.unsigned_abs();
        if digits <= BAND_EXPONENT {
            Wide::product(self.value, power_of_ten(BAND_EXPONENT - digits)).cmp(&Wide { hi: 0, lo: bound })
        } else {
            Wide { hi: 0, lo: self.value }.cmp(&Wide::product(bound, power_of_ten(digits - BAND_EXPONENT)))
        }
    }
}

/// `10^digits`, at most `10^12`.
#[inline(always)]
fn power_of_ten(digits: u32) -> u64 {
    POWERS_OF_TEN[(digits as usize).min(POWERS_OF_TEN.len() - 1)]
}

/// What a buy of `usdc_in` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuyQuote {
    pub fee: u64,
    pub gold_out: u64,
}

/// `fee = ceil(usdc_in x fee_bps / 10000)`; `gold_out = floor((usdc_in - fee) / price)`.
pub fn quote_buy(usdc_in: u64, fee_bps: u16, price: Price) -> Result<BuyQuote, KaratError> {
    let fee = mul_div_ceil(usdc_in, fee_bps as u64, BPS)?;
    let net = usdc_in.checked_sub(fee).ok_or(KaratError::ArithmeticOverflow)?;
    let gold_out = mul_div_floor(net, price.scale(), price.value)?;
    Ok(BuyQuote { fee, gold_out })
}

/// What a sale of `gold_in` gives; `gross = usdc_out + fee`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SellQuote {
    pub gross: u64,
    pub fee: u64,
    pub usdc_out: u64,
}

/// `gross = floor(gold_in x price)`; `fee = ceil(gross x fee_bps / 10000)`; `usdc_out = gross - fee`.
pub fn quote_sell(gold_in: u64, fee_bps: u16, price: Price) -> Result<SellQuote, KaratError> {
    let gross = mul_div_floor(gold_in, price.value, price.scale())?;
    let fee = mul_div_ceil(gross, fee_bps as u64, BPS)?;
    let usdc_out = gross.checked_sub(fee).ok_or(KaratError::ArithmeticOverflow)?;
    Ok(SellQuote { gross, fee, usdc_out })
}

/// What a purchase of `gold_out` costs; `usdc_in = net + fee`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PurchaseQuote {
    pub net: u64,
    pub fee: u64,
    pub usdc_in: u64,
}

/// `net = ceil(gold_out x price)`; `fee = ceil(net x fee_bps / (10000 - fee_bps))`; `usdc_in = net + fee`.
pub fn quote_purchase(gold_out: u64, fee_bps: u16, price: Price) -> Result<PurchaseQuote, KaratError> {
    let net = mul_div_ceil(gold_out, price.value, price.scale())?;
    let rest = BPS.checked_sub(fee_bps as u64).ok_or(KaratError::ArithmeticOverflow)?;
    let fee = mul_div_ceil(net, fee_bps as u64, rest)?;
    let usdc_in = net.checked_add(fee).ok_or(KaratError::ArithmeticOverflow)?;
    Ok(PurchaseQuote { net, fee, usdc_in })
}

/// Whether `confidence / price <= max_bps / 10000`.
pub fn confidence_within(confidence: u64, price: u64, max_bps: u16) -> bool {
    Wide::product(confidence, BPS) <= Wide::product(price, max_bps as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random numbers of every magnitude, with many at the edges (SplitMix64).
    struct Numbers(u64);

    impl Numbers {
        fn bits(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        fn next(&mut self) -> u64 {
            const EDGES: [u64; 8] = [0, 1, u32::MAX as u64, 1 << 32, (1 << 32) + 1, i64::MAX as u64, 1 << 63, u64::MAX];
            match self.bits() % 8 {
                0 => EDGES[(self.bits() % 8) as usize],
                1 => u64::MAX - self.bits() % 1000,
                _ => self.bits() >> (self.bits() % 64),
            }
        }

        fn price(&mut self) -> Price {
            let value = (self.next() >> 1).max(1);
            Price { value, exponent: -((self.bits() % 13) as i32) }
        }
    }

    fn wide(value: u128) -> Wide {
        Wide { hi: (value >> 64) as u64, lo: value as u64 }
    }

    fn fits(value: u128) -> Result<u64, KaratError> {
        u64::try_from(value).map_err(|_| KaratError::ArithmeticOverflow)
    }

    const CASES: usize = 1_000_000;

    #[test]
    fn products_are_exact() {
        let mut numbers = Numbers(1);
        for _ in 0..CASES {
            let (a, b) = (numbers.next(), numbers.next());
            assert_eq!(Wide::product(a, b), wide(a as u128 * b as u128), "{a} x {b}");
        }
    }

    #[test]
    fn quotients_and_remainders_are_exact_or_overflow() {
        let mut numbers = Numbers(2);
        for _ in 0..CASES {
            let (hi, lo, divisor) = (numbers.next(), numbers.next(), numbers.next());
            for hi in [hi, hi % divisor.max(1)] {
                let value = (hi as u128) << 64 | lo as u128;
                let expected = match value.checked_div(divisor as u128).map(u64::try_from) {
                    Some(Ok(quotient)) => Ok((quotient, (value % divisor as u128) as u64)),
                    _ => Err(KaratError::ArithmeticOverflow),
                };
                assert_eq!(Wide { hi, lo }.divide(divisor), expected, "{value} / {divisor}");
            }
        }
    }

    #[test]
    fn quotes_are_those_of_wider_integers_and_round_against_the_caller() {
        let mut numbers = Numbers(3);
        for _ in 0..CASES {
            let (amount, price) = (numbers.next(), numbers.price());
            let fee_bps = (numbers.bits() % 10_000) as u16;
            let (value, scale) = (price.value as u128, 10u128.pow(price.exponent.unsigned_abs()));

            let fee = (amount as u128 * fee_bps as u128).div_ceil(10_000) as u64;
            let gold_out = fits((amount - fee) as u128 * scale / value);
            assert_eq!(quote_buy(amount, fee_bps, price), gold_out.map(|gold_out| BuyQuote { fee, gold_out }));

            let sold = fits(amount as u128 * value / scale).map(|gross| {
                let fee = (gross as u128 * fee_bps as u128).div_ceil(10_000) as u64;
                SellQuote { gross, fee, usdc_out: gross - fee }
            });
            assert_eq!(quote_sell(amount, fee_bps, price), sold);

            let purchase = fits((amount as u128 * value).div_ceil(scale)).and_then(|net| {
                let fee = fits((net as u128 * fee_bps as u128).div_ceil(10_000 - fee_bps as u128))?;
                let usdc_in = fits(net as u128 + fee as u128)?;
                Ok(PurchaseQuote { net, fee, usdc_in })
            });
            assert_eq!(quote_purchase(amount, fee_bps, price), purchase);
        }
    }

    #[test]
    fn a_buy_and_a_sale_at_one_price_never_profit() {
        let mut numbers = Numbers(4);
        let mut pairs = 0;
        for _ in 0..CASES {
            let (usdc_in, price) = (numbers.next(), numbers.price());
            let fee_bps = (numbers.bits() % 10_000) as u16;
            let Ok(bought) = quote_buy(usdc_in, fee_bps, price) else { continue };
            let sold = quote_sell(bought.gold_out, fee_bps, price).expect("is at most what was paid");
            assert!(sold.usdc_out <= usdc_in);
            pairs += 1;
        }
        assert!(pairs > CASES / 10);
    }

    #[test]
    fn a_purchase_is_never_cheaper_than_a_buy_and_a_sale_gives_no_more_back() {
        let mut numbers = Numbers(6);
        let mut pairs = 0;
        for _ in 0..CASES {
            let (gold_out, price) = (numbers.next(), numbers.price());
            let fee_bps = (numbers.bits() % 10_000) as u16;
            let Ok(paid) = quote_purchase(gold_out, fee_bps, price) else { continue };
            let sold = quote_sell(gold_out, fee_bps, price).expect("is at most what was paid");
            assert!(sold.usdc_out <= paid.usdc_in);
            if let Ok(bought) = quote_buy(paid.usdc_in, fee_bps, price) {
                assert!(bought.gold_out >= gold_out, "the same USDC buys no less");
            }
            pairs += 1;
        }
        assert!(pairs > CASES / 10);
    }

    #[test]
    fn a_fee_above_the_whole_is_an_error() {
        let price = Price { value: 1, exponent: 0 };
        assert_eq!(quote_buy(1_000_000, 10_001, price), Err(KaratError::ArithmeticOverflow));
        assert_eq!(quote_sell(1_000_000, 10_001, price), Err(KaratError::ArithmeticOverflow));
        assert_eq!(quote_purchase(1_000_000, 10_000, price), Err(KaratError::ArithmeticOverflow));
        assert_eq!(quote_purchase(1_000_000, 10_001, price), Err(KaratError::ArithmeticOverflow));
    }

    #[test]
    fn prices_compare_exactly_with_the_band() {
        let mut numbers = Numbers(5);
        for _ in 0..CASES {
            let price = numbers.price();
            let scale = 10u128.pow(price.exponent.unsigned_abs());
            let near = price.value as u128 * 100_000_000 / scale;
            let bounds = [numbers.next(), near as u64, (near as u64).wrapping_add(1), (near as u64).wrapping_sub(1)];
            for bound in bounds {
                // value / scale ? bound / 10^8, multiplied out; both products stay below 2^127.
                let expected = (price.value as u128 * 100_000_000).cmp(&(bound as u128 * scale));
                assert_eq!(price.compare_e8(bound), expected, "{price:?} ? {bound}");
            }
        }
    }

    #[test]
    fn confidence_is_compared_exactly() {
        assert!(confidence_within(1, 100, 100));
        assert!(!confidence_within(2, 100, 100));
        assert!(confidence_within(u64::MAX, u64::MAX, 10_000));
        assert!(!confidence_within(u64::MAX, u64::MAX, 9_999));
        assert!(confidence_within(0, 1, 0));
    }
}
