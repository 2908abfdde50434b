//! Checks of single accounts, derived addresses, and the creation of an account of this program.

use crate::{
    error::{require, KaratError},
    sysvar::rent_exemption,
    token::Token,
};
use pinocchio::{
    cpi::{Seed, Signer},
    error::ProgramError,
    AccountView, Address, ProgramResult,
};
use pinocchio_system::instructions::{Allocate, Assign, CreateAccount, Transfer};

pub use pinocchio_system::ID as SYSTEM_PROGRAM_ID;

pub const CONFIG_SEED: &[u8] = b"config";
pub const TREASURY_SEED: &[u8] = b"treasury";
pub const ESCROW_SEED: &[u8] = b"escrow";
pub const INTEGRATOR_SEED: &[u8] = b"integrator";
pub const REDEMPTION_SEED: &[u8] = b"redemption";
pub const ORDER_SEED: &[u8] = b"order";
pub const PROPOSAL_SEED: &[u8] = b"proposal";

/// The upgradeable loader, owner of a program's ProgramData.
pub static LOADER_ID: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");
static ASSOCIATED_TOKEN_PROGRAM_ID: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/// `MissingSignature` unless the account signed.
#[inline(always)]
pub fn require_signer(account: &AccountView) -> ProgramResult {
    require(account.is_signer(), KaratError::MissingSignature)
}

/// `InvalidAddress` unless the account is the expected one.
#[inline(always)]
pub fn require_address(account: &AccountView, expected: &Address) -> ProgramResult {
    require(account.address() == expected, KaratError::InvalidAddress)
}

/// `AccountAlias` when two of the addresses are the same.
pub fn require_distinct(addresses: &[&Address]) -> ProgramResult {
    for (index, address) in addresses.iter().enumerate() {
        require(!addresses[..index].contains(address), KaratError::AccountAlias)?;
    }
    Ok(())
}

/// The canonical derived address of `seeds` and its bump.
#[cfg(target_arch = "bpf")]
pub fn find_address(seeds: &[&[u8]], program_id: &Address) -> Result<(Address, u8), ProgramError> {
    Address::try_find_program_address(seeds, program_id).ok_or(ProgramError::InvalidSeeds)
}

/// Derivation is a syscall: it exists on chain only.
#[cfg(not(target_arch = "bpf"))]
pub fn find_address(_seeds: &[&[u8]], _program_id: &Address) -> Result<(Address, u8), ProgramError> {
    Err(ProgramError::InvalidSeeds)
}

/// The associated token account of `owner`.
pub fn find_token_address(owner: &Address, token: &Token) -> Result<Address, ProgramError> {
    let seeds: [&[u8]; 3] = [owner.as_ref(), token.program.as_ref(), token.mint.as_ref()];
    find_address(&seeds, &ASSOCIATED_TOKEN_PROGRAM_ID).map(|(address, _)| address)
}

/// `AlreadyInitialized` when the account was made before. No other program can own a derived address of this one.
pub fn require_vacant(account: &AccountView, program_id: &Address) -> ProgramResult {
    require(!account.owned_by(program_id), KaratError::AlreadyInitialized)
}

/// An account of this program that is to be made, at the derived address `seeds`.
pub struct NewAccount<'a> {
    pub payer: &'a AccountView,
    pub account: &'a AccountView,
    /// Bytes.
    pub size: usize,
    pub program_id: &'a Address,
    pub seeds: &'a [Seed<'a>],
}

impl NewAccount<'_> {
    /// Makes it, zeroed and exempt from rent. Somebody may have sent lamports to the address before: that must not keep it from being made.
    pub fn create(&self) -> ProgramResult {
        let Self { payer, account, program_id, .. } = *self;
        let signers = [Signer::from(self.seeds)];
        let space = self.size as u64;
        let rent = rent_exemption(self.size)?;
        let lamports = account.lamports();
        if lamports == 0 {
            let create = CreateAccount { from: payer, to: account, lamports: rent, space, owner: program_id };
            return create.invoke_signed(&signers);
        }
        Transfer { from: payer, to: account, lamports: rent.saturating_sub(lamports) }.invoke()?;
        Allocate { account, space }.invoke_signed(&signers)?;
        Assign { account, owner: program_id }.invoke_signed(&signers)
    }
}

/// Closes an account of this program; its lamports go to `receiver`.
pub fn close_account(account: &mut AccountView, receiver: &mut AccountView) -> ProgramResult {
    receiver.set_lamports(receiver.lamports() + account.lamports()); // all lamports that exist fit into 64 bits
    account.close()
}
