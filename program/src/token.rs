//! Token accounts and mints of both tokens, and what the program makes their programs do. Layouts are those of the token programs.

use crate::{
    error::{require, KaratError},
    state::{is_zero, U64},
};
use pinocchio::{
    account::Ref,
    cpi::{invoke_signed, Seed, Signer},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    AccountView, Address, ProgramResult,
};

/// SPL Token, the program of USDC.
pub static TOKEN_PROGRAM_ID: Address = Address::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
/// Token-2022, the program of GOLD: its mint has a name.
pub static TOKEN_2022_PROGRAM_ID: Address = Address::from_str_const("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");

/// Decimals of both tokens; the arithmetic counts on it.
pub const DECIMALS: u8 = 6;
const STATE_INITIALIZED: u8 = 1;
const STATE_FROZEN: u8 = 2;

/// One of the two tokens.
#[derive(Clone, Copy)]
pub struct Token<'a> {
    pub mint: &'a Address,
    pub program: &'static Address,
}

impl<'a> Token<'a> {
    /// USDC, of this mint.
    #[inline(always)]
    pub fn usdc(mint: &'a Address) -> Self {
        Self { mint, program: &TOKEN_PROGRAM_ID }
    }

    /// GOLD, of this mint.
    #[inline(always)]
    pub fn gold(mint: &'a Address) -> Self {
        Self { mint, program: &TOKEN_2022_PROGRAM_ID }
    }

    /// token program, mint
    /// - must be those of the token
    #[inline(always)]
    pub fn require(&self, mint: &AccountView, program: &AccountView) -> ProgramResult {
        require(program.address() == self.program, KaratError::InvalidTokenProgram)?;
        require(mint.address() == self.mint, KaratError::InvalidMint)
    }
}

/// A mint, 82 bytes; extensions of Token-2022 follow from byte 166 on.
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

/// A token account, 165 bytes; extensions of Token-2022 follow from byte 166 on.
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

const TOKEN_ACCOUNT_SIZE: usize = size_of::<TokenAccount>();
const _: () = assert!(TOKEN_ACCOUNT_SIZE == 165 && align_of::<TokenAccount>() == 1);

/// Of Token-2022: where an account with extensions names its type.
const ACCOUNT_TYPE: usize = TOKEN_ACCOUNT_SIZE;
const TYPE_MINT: u8 = 1;
const TYPE_ACCOUNT: u8 = 2;
/// Size of a multisig, which has no type: Token-2022 gives no account this size.
const MULTISIG_SIZE: usize = 355;
/// Extensions, each behind its type and its length.
const METADATA_POINTER: u16 = 18;
const TOKEN_METADATA: u16 = 19;

/// Whether these are the bytes of a token account of that program. Extensions that accounts of GOLD can have don't change amounts.
#[inline(always)]
fn is_token_account(data: &[u8], program: &Address) -> bool {
    if data.len() == TOKEN_ACCOUNT_SIZE {
        return true;
    }
    program == &TOKEN_2022_PROGRAM_ID
        && data.len() > TOKEN_ACCOUNT_SIZE
        && data.len() != MULTISIG_SIZE
        && data[ACCOUNT_TYPE] == TYPE_ACCOUNT
}

/// Reads a token account, frozen or not.
///
/// account
/// - must be owned by the program of the token
/// - must have the length and the type of a token account and be initialized
/// - must be of the mint of the token
#[inline(never)]
pub fn load_any<'a>(account: &'a AccountView, token: Token) -> Result<Ref<'a, TokenAccount>, ProgramError> {
    require(account.owned_by(token.program), KaratError::InvalidAccountOwner)?;
    let data = account.try_borrow()?;
    require(is_token_account(&data, token.program), KaratError::InvalidAccountData)?;
    // SAFETY: the length was checked; the layout is bytes only and any bytes are a value of it.
    let loaded = Ref::map(data, |bytes| unsafe { &*(bytes.as_ptr() as *const TokenAccount) });
    let initialized = loaded.state == STATE_INITIALIZED || loaded.state == STATE_FROZEN;
    require(initialized, KaratError::InvalidAccountData)?;
    require(&loaded.mint == token.mint, KaratError::InvalidMint)?;
    Ok(loaded)
}

/// As `load_any`; the account must not be frozen.
#[inline(always)]
pub fn load<'a>(account: &'a AccountView, token: Token) -> Result<Ref<'a, TokenAccount>, ProgramError> {
    let loaded = load_any(account, token)?;
    require(!loaded.is_frozen(), KaratError::TokenAccountFrozen)?;
    Ok(loaded)
}

impl TokenAccount {
    /// Whether the account can neither pay nor receive.
    #[inline(always)]
    pub fn is_frozen(&self) -> bool {
        self.state == STATE_FROZEN
    }
}

/// As `load`; the account must also belong to `owner`. Gives the balance in base units.
#[inline(never)]
pub fn owned_balance(account: &AccountView, token: &Token, owner: &Address) -> Result<u64, ProgramError> {
    let loaded = load(account, *token)?;
    require(&loaded.owner == owner, KaratError::InvalidTokenOwner)?;
    Ok(loaded.amount.get())
}

/// Checks an account that holds what the program keeps for others: owned by `authority`, without a delegate or another close authority.
pub fn require_custody(account: &AccountView, token: &Token, authority: &Address) -> ProgramResult {
    let loaded = load(account, *token)?;
    require(&loaded.owner == authority, KaratError::InvalidTokenOwner)?;
    let exclusive = loaded.delegate_tag == [0; 4] && loaded.close_authority_tag == [0; 4];
    require(exclusive, KaratError::InvalidAccountData)
}

fn read_mint(data: Ref<'_, [u8]>) -> Result<Ref<'_, MintAccount>, ProgramError> {
    require(data.len() >= size_of::<MintAccount>(), KaratError::InvalidMint)?;
    // SAFETY: the length was checked; the layout is bytes only and any bytes are a value of it.
    Ok(Ref::map(data, |bytes| unsafe { &*(bytes.as_ptr() as *const MintAccount) }))
}

/// The mint of USDC.
///
/// account
/// - must be owned by SPL Token
/// - must be an initialized mint with 6 decimals
pub fn require_usdc_mint(account: &AccountView) -> ProgramResult {
    require(account.owned_by(&TOKEN_PROGRAM_ID), KaratError::InvalidAccountOwner)?;
    let data = account.try_borrow()?;
    require(data.len() == size_of::<MintAccount>(), KaratError::InvalidMint)?;
    let mint = read_mint(data)?;
    require(mint.is_initialized == 1 && mint.decimals == DECIMALS, KaratError::InvalidMint)
}

/// The mint of GOLD, of which this program alone makes tokens and freezes accounts, and which carries its name itself.
///
/// account
/// - must be owned by Token-2022
/// - must be an initialized mint with 6 decimals, without any tokens yet
/// - its mint and its freeze authority must be `authority`
/// - its extensions must be those of `require_metadata`
pub fn require_gold_mint(account: &AccountView, authority: &Address, admin: &Address) -> ProgramResult {
    require(account.owned_by(&TOKEN_2022_PROGRAM_ID), KaratError::InvalidAccountOwner)?;
    require_metadata(&account.try_borrow()?, account.address(), admin)?;
    let mint = read_mint(account.try_borrow()?)?;
    let issued = mint.mint_authority_tag == SOME && &mint.mint_authority == authority;
    let frozen = mint.freeze_authority_tag == SOME && &mint.freeze_authority == authority;
    let fresh = mint.is_initialized == 1 && mint.decimals == DECIMALS && mint.supply.get() == 0;
    require(issued && frozen && fresh, KaratError::InvalidMint)
}

/// The value of a metadata pointer.
#[repr(C)]
struct MetadataPointer {
    authority: Address,
    metadata: Address,
}

/// The start of token metadata; texts follow.
#[repr(C)]
struct MetadataHead {
    update_authority: Address,
    mint: Address,
}

/// extensions of a mint
/// - must be a metadata pointer and token metadata, each once, and no other
/// - the pointer must point to the mint itself, for ever
/// - the metadata must be of this mint; the admin must be the one who may update it
fn require_metadata(data: &[u8], mint: &Address, admin: &Address) -> ProgramResult {
    let is_mint = data.len() > ACCOUNT_TYPE && data[ACCOUNT_TYPE] == TYPE_MINT && data.len() != MULTISIG_SIZE;
    require(is_mint, KaratError::InvalidMint)?;
    let mut rest = &data[ACCOUNT_TYPE + 1..];
    let (mut pointers, mut metadata) = (0, 0);
    while let Some((head, behind)) = rest.split_first_chunk::<4>() {
        let length = u16::from_le_bytes([head[2], head[3]]) as usize;
        let Some((value, next)) = behind.split_at_checked(length) else {
            return Err(KaratError::InvalidMint.into());
        };
        let valid = match u16::from_le_bytes([head[0], head[1]]) {
            METADATA_POINTER if length == size_of::<MetadataPointer>() => {
                pointers += 1;
                // SAFETY: the length was checked; the layout is bytes only and any bytes are a value of it.
                let pointer = unsafe { &*(value.as_ptr() as *const MetadataPointer) };
                &pointer.metadata == mint && is_zero(&pointer.authority)
            }
            TOKEN_METADATA if length >= size_of::<MetadataHead>() => {
                metadata += 1;
                // SAFETY: as above.
                let head = unsafe { &*(value.as_ptr() as *const MetadataHead) };
                &head.mint == mint && &head.update_authority == admin
            }
            _ => false,
        };
        require(valid, KaratError::InvalidMint)?;
        rest = next;
    }
    require(rest.is_empty() && pointers == 1 && metadata == 1, KaratError::InvalidMint)
}

/// How many tokens of a mint there are, base units; its address was checked before.
#[inline(always)]
pub fn supply(mint: &AccountView) -> Result<u64, ProgramError> {
    Ok(read_mint(mint.try_borrow()?)?.supply.get())
}

/// The balance of a token account after transfers, base units; checked before them by `load`.
#[inline(always)]
pub fn balance(account: &AccountView) -> Result<u64, ProgramError> {
    let data = account.try_borrow()?;
    require(data.len() >= TOKEN_ACCOUNT_SIZE, KaratError::InvalidAccountData)?;
    // SAFETY: as in `load_any`.
    Ok(unsafe { &*(data.as_ptr() as *const TokenAccount) }.amount.get())
}

/// `before + amount`, base units.
#[inline(always)]
pub fn plus(before: u64, amount: u64) -> Result<u64, ProgramError> {
    Ok(before.checked_add(amount).ok_or(KaratError::ArithmeticOverflow)?)
}

/// Numbers of the instructions that the two programs have in common.
const FREEZE_ACCOUNT: u8 = 10;
const THAW_ACCOUNT: u8 = 11;
const TRANSFER_CHECKED: u8 = 12;
const MINT_TO_CHECKED: u8 = 14;
const BURN_CHECKED: u8 = 15;

/// The data of an instruction that names an amount and the decimals.
#[inline(always)]
fn checked_data(instruction: u8, amount: u64) -> [u8; 10] {
    let mut data = [0; 10];
    data[0] = instruction;
    data[1..9].copy_from_slice(&amount.to_le_bytes());
    data[9] = DECIMALS;
    data
}

/// A transfer of `amount` base units.
pub struct Transfer<'a> {
    /// The token program.
    pub program: &'static Address,
    pub from: &'a AccountView,
    pub mint: &'a AccountView,
    pub to: &'a AccountView,
    pub authority: &'a AccountView,
    pub amount: u64,
}

impl Transfer<'_> {
    /// Moves the tokens on the signature of the authority.
    pub fn invoke(&self) -> ProgramResult {
        self.call(&[])
    }

    /// Moves the tokens on the signature of the PDA of this program that `seeds` derive, the bump among them.
    pub fn invoke_signed(&self, seeds: &[Seed]) -> ProgramResult {
        self.call(&[Signer::from(seeds)])
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

    #[inline(never)]
    fn call(&self, signers: &[Signer]) -> ProgramResult {
        let data = checked_data(TRANSFER_CHECKED, self.amount);
        let accounts = [
            InstructionAccount::writable(self.from.address()),
            InstructionAccount::readonly(self.mint.address()),
            InstructionAccount::writable(self.to.address()),
            InstructionAccount::readonly_signer(self.authority.address()),
        ];
        let instruction = InstructionView { program_id: self.program, data: &data, accounts: &accounts };
        invoke_signed(&instruction, &[self.from, self.mint, self.to, self.authority], signers)
    }
}

/// A burn of `amount` base units of GOLD.
pub struct Burn<'a> {
    pub from: &'a AccountView,
    pub mint: &'a AccountView,
    pub authority: &'a AccountView,
    pub amount: u64,
}

impl Burn<'_> {
    /// Burns on the signature of the PDA of this program that `seeds` derive: `short` when the balance is below the amount, and afterwards
    /// balance and supply must be the computed ones.
    #[inline(never)]
    pub fn invoke_signed(&self, seeds: &[Seed], short: KaratError) -> ProgramResult {
        let left = balance(self.from)?.checked_sub(self.amount).ok_or(short)?;
        let exist = supply(self.mint)?.checked_sub(self.amount).ok_or(KaratError::ArithmeticOverflow)?;
        let data = checked_data(BURN_CHECKED, self.amount);
        let accounts = [
            InstructionAccount::writable(self.from.address()),
            InstructionAccount::writable(self.mint.address()),
            InstructionAccount::readonly_signer(self.authority.address()),
        ];
        let instruction = InstructionView { program_id: &TOKEN_2022_PROGRAM_ID, data: &data, accounts: &accounts };
        invoke_signed(&instruction, &[self.from, self.mint, self.authority], &[Signer::from(seeds)])?;
        let burned = balance(self.from)? == left && supply(self.mint)? == exist;
        require(burned, KaratError::BalanceMismatch)
    }
}

/// An issue of `amount` base units of GOLD.
pub struct Mint<'a> {
    pub mint: &'a AccountView,
    pub to: &'a AccountView,
    pub authority: &'a AccountView,
    pub amount: u64,
}

impl Mint<'_> {
    /// Mints on the signature of the PDA of this program that `seeds` derive; afterwards the balance must be the computed one and the supply
    /// `exist`.
    #[inline(never)]
    pub fn invoke_signed(&self, seeds: &[Seed], exist: u64) -> ProgramResult {
        let held = plus(balance(self.to)?, self.amount)?;
        let data = checked_data(MINT_TO_CHECKED, self.amount);
        let accounts = [
            InstructionAccount::writable(self.mint.address()),
            InstructionAccount::writable(self.to.address()),
            InstructionAccount::readonly_signer(self.authority.address()),
        ];
        let instruction = InstructionView { program_id: &TOKEN_2022_PROGRAM_ID, data: &data, accounts: &accounts };
        invoke_signed(&instruction, &[self.mint, self.to, self.authority], &[Signer::from(seeds)])?;
        let minted = balance(self.to)? == held && supply(self.mint)? == exist;
        require(minted, KaratError::BalanceMismatch)
    }
}

/// What stops an account of GOLD, or lets it go.
pub struct Freeze<'a> {
    pub account: &'a AccountView,
    pub mint: &'a AccountView,
    pub authority: &'a AccountView,
}

impl Freeze<'_> {
    /// Freezes the account, or thaws it, on the signature of the PDA of this program that `seeds` derive.
    #[inline(never)]
    pub fn invoke_signed(&self, seeds: &[Seed], is_thaw: bool) -> ProgramResult {
        let data = [if is_thaw { THAW_ACCOUNT } else { FREEZE_ACCOUNT }];
        let accounts = [
            InstructionAccount::writable(self.account.address()),
            InstructionAccount::readonly(self.mint.address()),
            InstructionAccount::readonly_signer(self.authority.address()),
        ];
        let instruction = InstructionView { program_id: &TOKEN_2022_PROGRAM_ID, data: &data, accounts: &accounts };
        invoke_signed(&instruction, &[self.account, self.mint, self.authority], &[Signer::from(seeds)])
    }
}
