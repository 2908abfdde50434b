use super::{is_expired, require_due, State, I64, U64};
use crate::error::{require, KaratError};
use pinocchio::{Address, ProgramResult};

/// One redemption whose gold lies in escrow; PDA `["redemption", id]`. It exists from `redeem` until it is settled or reclaimed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Redemption {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    /// 1: a burn was announced, be it cancelled or void by now.
    pub was_announced: u8,
    pub reserved_header: [u8; 4],
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
    /// Unix seconds from which the user may take the gold back; later settings do not move it.
    pub reclaimable_at: I64,
    /// Unix seconds from which an announced burn can be done; 0: none is announced.
    pub burn_ready_at: I64,
}

const _: () = assert!(size_of::<Redemption>() == 136);

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for Redemption {
    const KIND: u8 = 3;
}

impl Redemption {
    /// Whether a burn is announced that can be done, now or later.
    pub fn burn_is_announced(&self, now: i64) -> bool {
        let ready_at = self.burn_ready_at.get();
        ready_at != 0 && !is_expired(ready_at, now)
    }

    /// burn
    /// - must not be announced yet, unless that is void
    /// - must not have been announced before, once the user may reclaim: a burn is announced at most once against a reclaim
    pub fn require_announceable(&self, now: i64) -> ProgramResult {
        require(!self.burn_is_announced(now), KaratError::BurnAnnounced)?;
        let can_be_reclaimed = now >= self.reclaimable_at.get();
        require(self.was_announced == 0 || !can_be_reclaimed, KaratError::BurnAnnouncedBefore)
    }

    /// burn
    /// - must not be announced, be it void: that says that the metal was handed out, until it is cancelled
    pub fn require_refundable(&self) -> ProgramResult {
        require(self.burn_ready_at == I64::ZERO, KaratError::BurnAnnounced)
    }

    /// burn
    /// - must be announced
    /// - its time must have come, and not be over by 14 days
    pub fn require_burnable(&self, now: i64) -> ProgramResult {
        let ready_at = self.burn_ready_at.get();
        require(ready_at != 0, KaratError::BurnNotAnnounced)?;
        require_due(ready_at, now)
    }
}
