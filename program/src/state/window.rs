use super::{U32, U64};
use crate::error::{require, KaratError};
use pinocchio::ProgramResult;

const HOURS: usize = 24;
/// The present hour and the 24 before it: whatever the minute, 24 hours lie within.
const BUCKETS: usize = HOURS + 1;
const HOUR_SECONDS: u64 = 3_600;

/// How much there was in the last 24 hours, by the hour: an amount counts in the hour that it falls into and the 24 after it, that is for
/// 24 to 25 hours.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Window {
    /// The last hour that was counted in, since 1970.
    pub hour: U32,
    /// Base units; those of hour `h` stand at `h % 25`.
    pub sums: [U64; BUCKETS],
}

impl Window {
    /// Counts an amount at `now`, unix seconds; `DailyLimitExceeded` when there is more than `limit` then.
    #[inline(never)]
    pub fn add(&mut self, now: i64, amount: u64, limit: u64) -> ProgramResult {
        self.record(now, amount);
        require(self.most() <= limit, KaratError::DailyLimitExceeded)
    }

    fn record(&mut self, now: i64, amount: u64) {
        self.forget(now);
        let sum = &mut self.sums[self.hour.get() as usize % BUCKETS];
        sum.set(sum.get().saturating_add(amount));
    }

    /// Clears the hours that have passed. A clock that went back stays in the last hour.
    #[inline(never)]
    fn forget(&mut self, now: i64) {
        let hour = ((now as u64 / HOUR_SECONDS) as u32).max(self.hour.get());
        let passed = (hour - self.hour.get()).min(BUCKETS as u32);
        for back in 0..passed {
            self.sums[(hour - back) as usize % BUCKETS].set(0); // hour is at least passed
        }
        self.hour.set(hour);
    }

    /// At least what there was in the last 24 hours, and at most that of 25.
    fn most(&self) -> u64 {
        self.sums.iter().fold(0, |total, sum| total.saturating_add(sum.get()))
    }

    /// At most what there was in the last 24 hours, and at least that of 23.
    fn least(&self) -> u64 {
        let oldest = &self.sums[(self.hour.get() as usize + 1) % BUCKETS];
        self.most() - oldest.get().min(self.most())
    }
}

/// What went out of the treasury and into it, of one token.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Flow {
    pub outflow: Window,
    pub inflow: Window,
}

impl Flow {
    /// Counts what comes in, base units.
    #[inline(never)]
    pub fn add_in(&mut self, now: i64, amount: u64) {
        self.inflow.record(now, amount);
    }

    /// Counts what goes out, base units; `DailyLimitExceeded` when more than `limit` has gone out than came in. What came in is counted for
    /// less than 24 hours and what went out for more, so that the limit holds over any 24 hours.
    #[inline(never)]
    pub fn add_out(&mut self, now: i64, amount: u64, limit: u64) -> ProgramResult {
        self.outflow.record(now, amount);
        self.inflow.forget(now);
        let net = self.outflow.most().saturating_sub(self.inflow.least());
        require(net <= limit, KaratError::DailyLimitExceeded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_000 / 3_600 * 3_600;
    const DAY: i64 = 24 * 3_600;

    fn empty() -> Window {
        Window { hour: 0.into(), sums: [0.into(); BUCKETS] }
    }

    fn no_flow() -> Flow {
        Flow { outflow: empty(), inflow: empty() }
    }

    #[test]
    fn counts_an_amount_for_24_to_25_hours() {
        for second in [0, 1, 3_599] {
            let mut window = empty();
            window.add(START + second, 5, 5).unwrap();
            assert!(window.clone().add(START + second + DAY, 1, 5).is_err());
            assert!(window.clone().add(START + DAY + 3_599, 1, 5).is_err());
            assert!(window.add(START + DAY + 3_600, 5, 5).is_ok());
            assert_eq!(window.most(), 5);
        }
    }

    #[test]
    fn forgets_hour_by_hour() {
        let mut window = empty();
        for hour in 0..100 {
            window.add(START + hour * 3_600, 1, 25).unwrap();
            assert_eq!(window.most(), (hour as u64 + 1).min(25));
            assert_eq!(window.least(), (hour as u64 + 1).min(24));
        }
        assert!(window.add(START + 99 * 3_600, 1, 25).is_err());
        let mut later = empty();
        later.add(START, u64::MAX, u64::MAX).unwrap();
        later.add(START, u64::MAX, u64::MAX).unwrap();
        assert_eq!(later.most(), u64::MAX);
        later.add(START + 1_000 * 3_600, 1, 1).unwrap();
        assert_eq!(later.most(), 1);
    }

    #[test]
    fn counts_in_the_last_hour_when_the_clock_goes_back() {
        let mut window = empty();
        window.add(START, 5, u64::MAX).unwrap();
        assert!(window.add(START - 3_600, 1, 5).is_err());
    }

    #[test]
    fn lets_out_again_what_came_in() {
        let mut flow = no_flow();
        flow.add_out(START, 5, 5).unwrap();
        assert!(flow.clone().add_out(START, 1, 5).is_err());
        flow.add_in(START, 3);
        flow.add_out(START, 3, 5).unwrap();
        assert!(flow.add_out(START, 1, 5).is_err());
    }

    #[test]
    fn forgets_what_came_in_before_what_went_out() {
        let mut flow = no_flow();
        flow.add_in(START, 3);
        flow.add_out(START, 8, 5).unwrap();
        assert!(flow.clone().add_out(START + DAY - 1, 1, 6).is_ok());
        assert!(flow.clone().add_out(START + DAY, 1, 8).is_err());
        assert!(flow.add_out(START + DAY + 3_600, 5, 5).is_ok());
    }

    #[test]
    fn what_came_in_a_day_before_lets_nothing_out() {
        let mut flow = no_flow();
        flow.add_in(START, 100);
        assert!(flow.add_out(START + 30 * DAY, 6, 5).is_err());
    }
}
