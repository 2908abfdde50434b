//! SPL Token accounts and mints, and the one transfer that trades use. Layouts are those of the token program's `state.rs`.

use crate::{
    error::{require, KaratError},
    state::U64,
};
use pinocchio::{
    account::Ref,
    cpi::{Seed, Signer},
    error::ProgramError,
    AccountView, Address, ProgramResult,
};
use pinocchio_token::instructions::{BurnChecked, MintToChecked, TransferChecked};

/// The only token program; Token-2022 could charge or block transfers.
pub use pinocchio_token::ID as TOKEN_PROGRAM_ID;

/// Decimals of both tokens; the arithmetic counts on it.
pub const DECIMALS: u8 = 6;
const STATE_INITIALIZED: u8 = 1;
const STATE_FROZEN: u8 = 2;

/// A mint, 82 bytes.
#[repr(C)]
pub struct MintAccount {
    pub mint_authority_tag: [u8; 4],
    pub mint_authority: Address,
    pub supply: U64,
    pub decimals: u8,
    pub is_initialized: u8,
    pub freeze_authority_tag: [u8; 4],
    pub freeze_authority: Address,
}

const _: () = assert!(size_of::<MintAccount>() == 82 && align_of::<MintAccount>() == 1);
/// An option that is there; `[0; 4]` is one that is not.
const SOME: [u8; 4] = [1, 0, 0, 0];

/// A token account, 165 bytes.
#[repr(C)]
pub struct TokenAccount {
    pub mint: Address,
    pub owner: Address,
    pub amount: U64,
    pub delegate_tag: [u8; 4],
    pub delegate: Address,
    pub state: u8,
    pub native_tag: [u8; 4],
    pub native: U64,
    pub delegated_amount: U64,
    pub close_authority_tag: [u8; 4],
    pub close_authority: Address,
}

const _: () = assert!(size_of::<TokenAccount>() == 165 && align_of::<TokenAccount>() == 1);

/// Reads a token account.
///
/// account
/// - must be owned by the token program
/// - must have the length of a token account and be initialized
/// - must not be frozen
/// - must be of `mint`
#[inline(always)]
pub fn load<'a>(account: &'a AccountView, mint: &Address) -> Result<Ref<'a, TokenAccount>, ProgramError> {
    require(account.owned_by(&TOKEN_PROGRAM_ID), KaratError::InvalidAccountOwner)?;
    let data = account.try_borrow()?;
    require(data.len() == size_of::<TokenAccount>(), KaratError::InvalidAccountData)?;
    // SAFETY: the length was checked; the layout is bytes only and any bytes are a value of it.
    let token = Ref::map(data, |bytes| unsafe { &*(bytes.as_ptr() as *const TokenAccount) });
    require(token.state != STATE_FROZEN, KaratError::TokenAccountFrozen)?;
    require(token.state == STATE_INITIALIZED, KaratError::InvalidAccountData)?;
    require(&token.mint == mint, KaratError::InvalidMint)?;
    Ok(token)
}

/// As `load`; the account must also belong to `owner`. Gives the balance in base units.
#[inline(always)]
pub fn owned_balance(account: &AccountView, mint: &Address, owner: &Address) -> Result<u64, ProgramError> {
    let token = load(account, mint)?;
    require(&token.owner == owner, KaratError::InvalidTokenOwner)?;
    Ok(token.amount.get())
}

/// Checks an account that holds what the program keeps for others: owned by `authority`, without a delegate or another close authority.
pub fn require_custody(account: &AccountView, mint: &Address, authority: &Address) -> ProgramResult {
    let token = load(account, mint)?;
    require(&token.owner == authority, KaratError::InvalidTokenOwner)?;
    let exclusive = token.delegate_tag == [0; 4] && token.close_authority_tag == [0; 4];
    require(exclusive, KaratError::InvalidAccountData)
}

/// Reads a mint that can be traded.
///
/// account
/// - must be owned by the token program
/// - must be an initialized mint with 6 decimals
pub fn load_mint(account: &AccountView) -> Result<Ref<'_, MintAccount>, ProgramError> {
    require(account.owned_by(&TOKEN_PROGRAM_ID), KaratError::InvalidAccountOwner)?;
    let data = account.try_borrow()?;
    require(data.len() == size_of::<MintAccount>(), KaratError::InvalidMint)?;
    // SAFETY: the length was checked; the layout is bytes only and any bytes are a value of it.
    let mint = Ref::map(data, |bytes| unsafe { &*(bytes.as_ptr() as *const MintAccount) });
    require(mint.is_initialized == 1 && mint.decimals == DECIMALS, KaratError::InvalidMint)?;
    Ok(mint)
}

/// The mint of GOLD, of which this program alone makes tokens.
///
/// account
/// - must be a mint that can be traded, without any tokens yet
/// - its mint authority must be `authority`
/// - its freeze authority must be `authority` or none
pub fn require_gold_mint(account: &AccountView, authority: &Address) -> ProgramResult {
    let mint = load_mint(account)?;
    let ours = mint.mint_authority_tag == SOME && &mint.mint_authority == authority;
    let unfrozen = mint.freeze_authority_tag != SOME || &mint.freeze_authority == authority;
    require(ours && unfrozen && mint.supply.get() == 0, KaratError::InvalidMint)
}

/// The balance of a token account after transfers, base units; checked before them by `load`.
#[inline(always)]
pub fn balance(account: &AccountView) -> Result<u64, ProgramError> {
    let data = account.try_borrow()?;
    require(data.len() == size_of::<TokenAccount>(), KaratError::InvalidAccountData)?;
    // SAFETY: as in `load`.
    Ok(unsafe { &*(data.as_ptr() as *const TokenAccount) }.amount.get())
}

/// `before + amount`, base units.
#[inline(always)]
pub fn plus(before: u64, amount: u64) -> Result<u64, ProgramError> {
    Ok(before.checked_add(amount).ok_or(KaratError::ArithmeticOverflow)?)
}

/// A transfer of `amount` base units.
pub struct Transfer<'a> {
    pub from: &'a AccountView,
    pub mint: &'a AccountView,
    pub to: &'a AccountView,
    pub authority: &'a AccountView,
    pub amount: u64,
}

impl Transfer<'_> {
    /// Moves the tokens on the signature of the authority.
    #[inline(never)]
    pub fn invoke(&self) -> ProgramResult {
        self.checked().invoke()
    }

    /// Moves the tokens on the signature of the PDA of this program that `seeds` derive, the bump among them.
    #[inline(never)]
    pub fn invoke_signed(&self, seeds: &[Seed]) -> ProgramResult {
        self.checked().invoke_signed(&[Signer::from(seeds)])
    }

    /// As `invoke_signed`, on its own: `short` when the balance is below the amount, and afterwards both balances must be the computed ones.
    #[inline(never)]
    pub fn pay_out(&self, seeds: &[Seed], short: KaratError) -> ProgramResult {
        let from = balance(self.from)?.checked_sub(self.amount).ok_or(short)?;
        let to = plus(balance(self.to)?, self.amount)?;
        self.invoke_signed(seeds)?;
        let moved = balance(self.from)? == from && balance(self.to)? == to;
        require(moved, KaratError::BalanceMismatch)
    }

    #[inline(always)]
    fn checked(&self) -> TransferChecked<'_, '_, &AccountView> {
        TransferChecked::new(self.from, self.mint, self.to, self.authority, self.amount, DECIMALS)
    }
}

/// A burn of `amount` base units.
pub struct Burn<'a> {
    pub from: &'a AccountView,
    pub mint: &'a AccountView,
    pub authority: &'a AccountView,
    pub amount: u64,
}

impl Burn<'_> {
    /// Burns on the signature of the PDA of this program that `seeds` derive: `short` when the balance is below the amount, and afterwards
    /// it must be the computed one.
    #[inline(never)]
    pub fn invoke_signed(&self, seeds: &[Seed], short: KaratError) -> ProgramResult {
        let left = balance(self.from)?.checked_sub(self.amount).ok_or(short)?;
        BurnChecked::new(self.from, self.mint, self.authority, self.amount, DECIMALS)
            .invoke_signed(&[Signer::from(seeds)])?;
        require(balance(self.from)? == left, KaratError::BalanceMismatch)
    }
}

/// An issue of `amount` base units.
pub struct Mint<'a> {
    pub mint: &'a AccountView,
    pub to: &'a AccountView,
    pub authority: &'a AccountView,
    pub amount: u64,
}

impl Mint<'_> {
    /// Mints on the signature of the PDA of this program that `seeds` derive; afterwards the balance must be the computed one and the supply
    /// `supply`.
    #[inline(never)]
    pub fn invoke_signed(&self, seeds: &[Seed], supply: u64) -> ProgramResult {
        let held = plus(balance(self.to)?, self.amount)?;
        MintToChecked::new(self.mint, self.to, self.authority, self.amount, DECIMALS)
            .invoke_signed(&[Signer::from(seeds)])?;
        let minted = balance(self.to)? == held && load_mint(self.mint)?.supply.get() == supply;
        require(minted, KaratError::BalanceMismatch)
    }
}
