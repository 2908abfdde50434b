use super::{is_zero, Settings, State, I64};
use crate::error::{require, KaratError};
use pinocchio::{Address, ProgramResult};

/// Seconds after which what was proposed, and not carried out when it was ready, is void: fourteen days.
pub const PROPOSAL_LIFE: i64 = 1_209_600;

/// ready_at
/// - must have come
/// - must not be over by 14 days
pub fn require_due(ready_at: i64, now: i64) -> ProgramResult {
    require(now >= ready_at, KaratError::NotReady)?;
    require(!is_expired(ready_at, now), KaratError::ProposalExpired)
}

/// Whether what was ready at that moment is void by now, unix seconds.
pub fn is_expired(ready_at: i64, now: i64) -> bool {
    now.saturating_sub(PROPOSAL_LIFE) > ready_at
}

/// A key that is proposed for a role.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Proposal {
    /// Zero when nothing is proposed.
    pub key: Address,
    /// Unix seconds from which it can take the role.
    pub ready_at: I64,
}

impl Proposal {
    pub const NONE: Self = Self { key: Address::new_from_array([0; 32]), ready_at: I64::ZERO };

    /// proposal
    /// - must be there: `NothingProposed`
    /// - must be the one that the signer means
    pub fn require_key(&self, key: &Address) -> ProgramResult {
        require(!is_zero(&self.key), KaratError::NothingProposed)?;
        require(&self.key == key, KaratError::InvalidArgument)
    }
}

/// Settings that the admin proposes; PDA `["proposal"]`, until they are applied or cancelled.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SettingsProposal {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    pub reserved_header: [u8; 5],
    /// Paid the rent and gets it back.
    pub rent_payer: Address,
    /// Unix seconds from which they can be applied.
    pub ready_at: I64,
    pub settings: Settings,
}

const _: () = assert!(size_of::<SettingsProposal>() == 48 + size_of::<Settings>());

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for SettingsProposal {
    const KIND: u8 = 5;
}
