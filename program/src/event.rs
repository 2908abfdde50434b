//! The one event that every mutation logs, as a single 146-byte slice of `sol_log_data`.

use crate::state::{I32, I64, U16, U64};
use pinocchio::Address;

pub const EVENT_VERSION: u8 = 1;
pub const EVENT_SIZE: usize = 146;
pub const SIDE_NONE: u8 = 0;
pub const SIDE_BUY: u8 = 1;
pub const SIDE_SELL: u8 = 2;

/// What happened; the fields are documented in `idl.ts`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Event {
    pub version: u8,
    pub kind: u8,
    pub partner_id: [u8; 16],
    pub seq: U64,
    pub side: u8,
    pub amount_in: U64,
    pub amount_out: U64,
    pub fee: U64,
    pub fee_bps: U16,
    pub price: U64,
    pub exponent: I32,
    pub confidence: U64,
    pub publish_time: I64,
    pub market_state: u8,
    pub actor: Address,
    pub counterparty: Address,
}

const _: () = assert!(size_of::<Event>() == EVENT_SIZE && align_of::<Event>() == 1);

impl Event {
    /// An event that is no trade; `partner_id` is zero for the config.
    #[inline(always)] // it has more arguments than the target passes to a function
    pub fn change(kind: u8, partner_id: &[u8; 16], seq: u64, market_state: u8, actor: &Address) -> Self {
        // SAFETY: made of bytes only, for which zero is valid.
        let mut event: Self = unsafe { core::mem::zeroed() };
        event.version = EVENT_VERSION;
        event.kind = kind;
        event.partner_id = *partner_id;
        event.seq.set(seq);
        event.market_state = market_state;
        event.actor = *actor;
        event
    }

    /// The event of tokens that move without a trade, base units in and out.
    pub fn with_transfer(mut self, amount_in: u64, amount_out: u64, counterparty: &Address) -> Self {
        self.amount_in.set(amount_in);
        self.amount_out.set(amount_out);
        self.counterparty = *counterparty;
        self
    }

    /// The event of a settlement: the reference stands where trades have confidence and publish time (`settlementEvent` in `idl.ts`).
    /// It can't stand in the partner id, which tells whose `seq` is counted.
    pub fn with_reference(mut self, reference: &[u8; 16]) -> Self {
        let [first, second] = [0, 8].map(|start| core::array::from_fn(|index| reference[start + index]));
        self.confidence.set(u64::from_le_bytes(first));
        self.publish_time.set(i64::from_le_bytes(second));
        self
    }

    /// The event as it is logged.
    pub fn as_bytes(&self) -> &[u8; EVENT_SIZE] {
        // SAFETY: `repr(C)` of bytes only, without padding; the size is asserted above.
        unsafe { &*(self as *const Self as *const [u8; EVENT_SIZE]) }
    }

    /// Logs the event.
    pub fn log(&self) {
        let slices: [&[u8]; 1] = [self.as_bytes()];
        // SAFETY: the syscall reads `slices`, which outlives it.
        #[cfg(target_arch = "bpf")]
        unsafe {
            pinocchio::syscalls::sol_log_data(slices.as_ptr() as *const u8, slices.len() as u64);
        }
        #[cfg(not(target_arch = "bpf"))]
        let _ = slices;
    }
}
