use super::{State, I64, U64};
use pinocchio::Address;

/// One redemption whose gold lies in escrow; PDA `["redemption", id]`. It exists from `redeem` until `settle_redemption`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Redemption {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    pub reserved_header: [u8; 5],
    /// The bytes of the redemption's UUID.
    pub id: [u8; 16],
    /// The bytes of the partner UUID.
    pub partner_id: [u8; 16],
    /// Who paid the gold, and alone may get it back.
    pub user: Address,
    /// Who gets the rent back.
    pub rent_payer: Address,
    /// Base units of GOLD.
    pub amount: U64,
    /// Unix seconds.
    pub opened_at: I64,
}

const _: () = assert!(size_of::<Redemption>() == 120);

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for Redemption {
    const KIND: u8 = 3;
}
