use super::{State, I64, U64};
use crate::{error::KaratError, event::Attestation};
use pinocchio::error::ProgramError;

/// The gold that the attestor vouches for; one account, PDA `["reserve"]`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Reserve {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    pub reserved_header: [u8; 5],
    /// Base units of GOLD that may exist.
    pub attested: U64,
    /// Unix seconds: the moment that the report is about.
    pub as_of: I64,
    /// SHA-256 of the report.
    pub report_hash: [u8; 32],
    /// Attestations so far.
    pub seq: U64,
}

const _: () = assert!(size_of::<Reserve>() == 64);

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for Reserve {
    const KIND: u8 = 5;
}

impl Reserve {
    /// The last attestation, as events report it; zero before the first.
    pub fn attestation(&self) -> Attestation {
        Attestation { amount: self.attested, as_of: self.as_of, report_hash: self.report_hash }
    }

    /// Replaces the attestation and counts it.
    pub fn attest(&mut self, amount: u64, as_of: i64, report_hash: &[u8; 32]) -> Result<(), ProgramError> {
        let seq = self.seq.get().checked_add(1).ok_or(KaratError::ArithmeticOverflow)?;
        self.seq.set(seq);
        self.attested.set(amount);
        self.as_of.set(as_of);
        self.report_hash = *report_hash;
        Ok(())
    }
}
