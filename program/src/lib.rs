//! Karat's on-chain program: trades between a gold-backed token and USDC at an oracle price, and the roles that may do so.
//! `idl.ts` next to this crate is its contract; `docs/program.md` explains it.
#![cfg_attr(target_arch = "bpf", no_std)]

pub mod accounts;
#[cfg(target_arch = "bpf")]
mod entrypoint;
pub mod error;
pub mod event;
pub mod instruction;
pub mod math;
#[cfg(target_arch = "bpf")]
mod memory;
pub mod oracle;
pub mod processor;
pub mod state;
pub mod sysvar;
pub mod token;

// Where to report a fault, found by tools that look into a deployed program.
#[cfg(target_arch = "bpf")]
solana_security_txt::security_txt! {
    name: "Karat",
    project_url: env!("CARGO_PKG_HOMEPAGE"),
    contacts: "other:SECURITY.md of the source code",
    policy: "SECURITY.md of the source code",
    preferred_languages: "en",
    source_code: env!("CARGO_PKG_REPOSITORY")
}
