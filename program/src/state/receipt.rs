use super::{State, I64};
use pinocchio::Address;

/// The receipt of an executed order; PDA `["order", integrator, id]`, from its execution until it can no longer be executed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Receipt {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    pub reserved_header: [u8; 5],
    /// Paid the rent and gets it back.
    pub payer: Address,
    /// Unix seconds: it may be closed after that.
    pub closable_at: I64,
}

const _: () = assert!(size_of::<Receipt>() == 48);

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for Receipt {
    const KIND: u8 = 4;
}

impl Receipt {
    /// Seconds that a receipt outlives its order, in case clocks differ.
    pub const KEPT_FOR: i64 = 3_600;
    /// Seconds that an order may at most be executed for.
    pub const LONGEST_ORDER: i64 = 86_400;
}
