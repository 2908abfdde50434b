//! Accounts of the program: little-endian, byte-aligned, of fixed size; the first byte is the kind, the second the version.

mod config;
mod integrator;
mod proposal;
mod receipt;
mod redemption;
mod settings;
mod window;

pub use {
    config::{Attestation, Config, HotKeys, Moved},
    integrator::{listed, Integrator, PartnerTerms, AUTHORITIES, MAX_EXECUTIVES},
    proposal::{is_expired, require_due, Proposal, SettingsProposal, PROPOSAL_LIFE},
    receipt::Receipt,
    redemption::Redemption,
    settings::Settings,
    window::{Flow, Window},
};

use crate::error::{require, KaratError};
use pinocchio::{
    account::{Ref, RefMut},
    error::ProgramError,
    AccountView, Address, ProgramResult,
};

/// Layout version of every account.
pub const VERSION: u8 = 1;

macro_rules! little_endian {
    ($($name:ident: $type:ty),*) => {$(
        /// A number stored little-endian without alignment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name([u8; size_of::<$type>()]);

        impl $name {
            pub const ZERO: Self = Self([0; size_of::<$type>()]);

            #[inline(always)]
            pub const fn get(&self) -> $type {
                <$type>::from_le_bytes(self.0)
            }

            #[inline(always)]
            pub fn set(&mut self, value: $type) {
                self.0 = value.to_le_bytes();
            }
        }

        impl From<$type> for $name {
            fn from(value: $type) -> Self {
                Self(value.to_le_bytes())
            }
        }
    )*};
}

little_endian!(U16: u16, U32: u32, U64: u64, I32: i32, I64: i64);

/// An account layout.
///
/// # Safety
/// The type is `repr(C)`, made of bytes only (alignment 1, no padding), and any bytes are a valid value of it.
pub unsafe trait State: Sized {
    const KIND: u8;
    const SIZE: usize = size_of::<Self>();
    const ALIGNED: () = assert!(align_of::<Self>() == 1);
}

/// Reads an account of this program.
///
/// account
/// - must be owned by this program
/// - must have the length, the kind and the version of `T`
#[inline(always)]
pub fn load<'a, T: State>(account: &'a AccountView, program_id: &Address) -> Result<Ref<'a, T>, ProgramError> {
    let () = T::ALIGNED;
    require_state(account, program_id, T::SIZE, T::KIND)?;
    let data = account.try_borrow()?;
    // SAFETY: `State` promises that any bytes of this length are a value of `T`; the length was checked.
    Ok(Ref::map(data, |bytes| unsafe { &*(bytes.as_ptr() as *const T) }))
}

/// As `load`, to write; the runtime refuses changes of an account that the transaction doesn't mark writable.
#[inline(always)]
pub fn load_mut<'a, T: State>(
    account: &'a mut AccountView,
    program_id: &Address,
) -> Result<RefMut<'a, T>, ProgramError> {
    let () = T::ALIGNED;
    require_state(account, program_id, T::SIZE, T::KIND)?;
    let data = account.try_borrow_mut()?;
    // SAFETY: as in `load`; the borrow is exclusive.
    Ok(RefMut::map(data, |bytes| unsafe { &mut *(bytes.as_mut_ptr() as *mut T) }))
}

/// The zeroed account that was just created for a `T`; its kind and version are set.
pub fn load_new<'a, T: State>(account: &'a mut AccountView) -> Result<RefMut<'a, T>, ProgramError> {
    let mut data = account.try_borrow_mut()?;
    require(data.len() == T::SIZE, KaratError::InvalidAccountData)?;
    data[0] = T::KIND;
    data[1] = VERSION;
    // SAFETY: as in `load_mut`.
    Ok(RefMut::map(data, |bytes| unsafe { &mut *(bytes.as_mut_ptr() as *mut T) }))
}

/// The checks of `load`, once for all types.
#[inline(never)]
fn require_state(account: &AccountView, program_id: &Address, size: usize, kind: u8) -> ProgramResult {
    require(account.owned_by(program_id), KaratError::InvalidAccountOwner)?;
    let data = account.try_borrow()?;
    let is_valid = data.len() == size && data[0] == kind && data[1] == VERSION;
    require(is_valid, KaratError::InvalidAccountData)
}

/// Whether an address is all zero: an empty slot.
#[inline(always)]
pub fn is_zero(address: &Address) -> bool {
    address == &ZERO
}

/// The empty slot.
pub static ZERO: Address = Address::new_from_array([0; 32]);
