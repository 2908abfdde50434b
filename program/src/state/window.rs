use super::{U32, U64};
use crate::error::{require, KaratError};
use pinocchio::ProgramResult;

const HOURS: usize = 24;
const HOUR_SECONDS: u64 = 3_600;

/// How much there was in the last 24 hours, by the hour: an amount counts in the hour that it falls into and the 23 after it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Window {
    /// The last hour that was counted in, since 1970.
    pub hour: U32,
    /// Base units; those of hour `h` stand at `h % 24`.
    pub sums: [U64; HOURS],
}

impl Window {
    /// Counts an amount at `now`, unix seconds; `DailyLimitExceeded` when there is more than `limit` then, unless that is 0.
    #[inline(never)]
    pub fn add(&mut self, now: i64, amount: u64, limit: u64) -> ProgramResult {
        if amount == 0 {
            return Ok(());
        }
        // A clock that went back counts in the last hour.
        let hour = ((now as u64 / HOUR_SECONDS) as u32).max(self.hour.get());
        let passed = (hour - self.hour.get()).min(HOURS as u32);
        for back in 0..passed {
            self.sums[(hour - back) as usize % HOURS].set(0);
        }
        self.hour.set(hour);
        let sum = &mut self.sums[hour as usize % HOURS];
        sum.set(sum.get().saturating_add(amount));
        require(limit == 0 || self.total() <= limit, KaratError::DailyLimitExceeded)
    }

    fn total(&self) -> u64 {
        self.sums.iter().fold(0, |total, sum| total.saturating_add(sum.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_000 / 3_600 * 3_600;

    fn empty() -> Window {
        Window { hour: 0.into(), sums: [0.into(); HOURS] }
    }

    #[test]
    fn counts_an_amount_for_23_to_24_hours() {
        for second in [0, 1, 3_599] {
            let mut window = empty();
            window.add(START + second, 5, 5).unwrap();
            assert!(window.clone().add(START + 24 * 3_600 - 1, 1, 5).is_err());
            assert!(window.add(START + 24 * 3_600, 5, 5).is_ok());
            assert_eq!(window.total(), 5);
        }
    }

    #[test]
    fn forgets_hour_by_hour() {
        let mut window = empty();
        for hour in 0..100 {
            window.add(START + hour * 3_600, 1, 24).unwrap();
            assert_eq!(window.total(), (hour as u64 + 1).min(24));
        }
        assert!(window.add(START + 99 * 3_600, 1, 24).is_err());
        let mut later = empty();
        later.add(START, u64::MAX, 0).unwrap();
        later.add(START, u64::MAX, 0).unwrap();
        assert_eq!(later.total(), u64::MAX);
        later.add(START + 1_000 * 3_600, 1, 1).unwrap();
        assert_eq!(later.total(), 1);
    }

    #[test]
    fn counts_in_the_last_hour_when_the_clock_goes_back() {
        let mut window = empty();
        window.add(START, 5, 0).unwrap();
        assert!(window.add(START - 3_600, 1, 5).is_err());
    }
}
