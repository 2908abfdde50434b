//! The one event of every mutation. The program writes it as the data of a call of itself (`event`), which a log limit can't cut: nodes keep
//! inner instructions whole. Config, a PDA of the program, signs that call, so that no other caller can make it.

use crate::{
    accounts::CONFIG_SEED,
    error::{require, KaratError},
    instruction::EVENT,
    state::{
        self, Attestation, Config, HotKeys, PartnerTerms, Settings, I32, I64, MAX_EXECUTIVES, U16, U64,
    },
};
use pinocchio::{
    cpi::{invoke_signed, Seed, Signer},
    instruction::{InstructionAccount, InstructionView},
    AccountView, Address, ProgramResult,
};

pub const EVENT_VERSION: u8 = 1;
/// Without the byte that names the instruction.
pub const EVENT_SIZE: usize = 162;
/// More than the longest body.
const MAX_BODY: usize = 1_024;
pub const SIDE_NONE: u8 = 0;
pub const SIDE_BUY: u8 = 1;
pub const SIDE_SELL: u8 = 2;

/// What happened; the fields are documented in `idl.ts`. A body that depends on the kind may follow.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Event {
    /// `EVENT`, so that the event is the data of the call as it stands; clients count the event from the next byte on.
    pub instruction: u8,
    pub version: u8,
    pub kind: u8,
    pub partner_id: [u8; 16],
    pub seq: U64,
    pub id: [u8; 16],
    pub side: u8,
    pub amount_in: U64,
    pub amount_out: U64,
    pub fee: U64,
    pub fee_bps: U16,
    pub price: U64,
    pub exponent: I32,
    pub confidence: U64,
    pub publish_time: I64,
    pub market_state: u8,
    pub actor: Address,
    pub counterparty: Address,
}

const _: () = assert!(size_of::<Event>() == 1 + EVENT_SIZE && align_of::<Event>() == 1);

/// What follows the event.
///
/// # Safety
/// The type is made of bytes only: `repr(C)` or an array, alignment 1, no padding.
pub unsafe trait Body: Copy {}

// SAFETY: made of bytes only, see the types.
unsafe impl Body for () {}
unsafe impl Body for u8 {}
unsafe impl Body for Address {}
unsafe impl Body for Settings {}
unsafe impl Body for PartnerTerms {}
unsafe impl Body for Attestation {}
unsafe impl<T: Body> Body for Change<T> {}

/// The old and the new value of what changed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Change<T> {
    pub before: T,
    pub after: T,
}

macro_rules! bodies {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $name { $(pub $field: $type),* }
        // SAFETY: `repr(C)` of types made of bytes only.
        unsafe impl Body for $name {}
    )*};
}

bodies! {
    /// Of `initialize`.
    ConfigCreated { admin: Address, hot_keys: HotKeys, settings: Settings }
    /// Of `propose_settings` and `cancel_settings`.
    ProposedSettings { ready_at: I64, settings: Settings }
    /// Of `propose_admin` and `cancel_admin`, where it is the proposed key, zero for none, and of `accept_admin`; `ready_at` is zero unless it
    /// was proposed.
    AdminChange { before: Address, after: Address, ready_at: I64 }
    /// Of `replace_key`.
    KeyReplaced { role: u8, before: Address, after: Address }
    /// Of `pause` and `resume`: the bits, and until when the treasury's holds.
    PauseState { paused: u8, treasury_paused_until: I64 }
    /// Of `redeem`: unix seconds from which the user may take the gold back.
    RedemptionOpened { reclaimable_at: I64 }
    /// Of `announce_burn`: unix seconds from which it can be done.
    BurnAnnounced { ready_at: I64 }
    /// Of `freeze_account` and `thaw_account`, of which the hash is zero.
    AccountFreeze { account: Address, reason_hash: [u8; 32] }
    /// Of `rotate_accounts`, in a `Change`.
    TokenAccounts { treasury_usdc: Address, treasury_gold: Address, fee_usdc: Address, escrow_gold: Address }
    /// Of `create_integrator`; of `update_executives` the list, in a `Change`.
    IntegratorCreated {
        terms: PartnerTerms,
        partner_wallet: Address,
        update_authority: Address,
        withdrawal_authority: Address,
        executives: Executives,
    }
    Executives { count: u8, keys: [Address; MAX_EXECUTIVES] }
    /// Of what changes an authority of a partner, or the one that is proposed for it; `ready_at` is zero unless it was proposed.
    AuthorityChange { role: u8, before: Address, after: Address, ready_at: I64 }
}

impl Event {
    /// An event that is no trade; `partner_id` is zero for the config.
    #[inline(always)] // it has more arguments than the target passes to a function
    pub fn change(kind: u8, partner_id: &[u8; 16], seq: u64, market_state: u8, actor: &Address) -> Self {
        // SAFETY: made of bytes only, for which zero is valid.
        let mut event: Self = unsafe { core::mem::zeroed() };
        event.instruction = EVENT;
        event.version = EVENT_VERSION;
        event.kind = kind;
        event.partner_id = *partner_id;
        event.seq.set(seq);
        event.market_state = market_state;
        event.actor = *actor;
        event
    }

    /// The event of tokens that move without a trade, base units in and out.
    pub fn with_transfer(mut self, amount_in: u64, amount_out: u64, counterparty: &Address) -> Self {
        self.amount_in.set(amount_in);
        self.amount_out.set(amount_out);
        self.counterparty = *counterparty;
        self
    }

    /// The event of what has an id: an order, a redemption or a trade.
    pub fn with_id(mut self, id: &[u8; 16]) -> Self {
        self.id = *id;
        self
    }

    /// Emits the event without a body. The config, which the instruction has loaded, must not be borrowed to write.
    #[inline(never)]
    pub fn emit(&self, config: &AccountView, program: &AccountView) -> ProgramResult {
        emit(self.as_bytes(), config, program)
    }

    /// As `emit`, with the body that events of this kind have.
    #[inline(always)]
    pub fn emit_with<B: Body>(&self, body: &B, config: &AccountView, program: &AccountView) -> ProgramResult {
        const { assert!(size_of::<B>() <= MAX_BODY) };
        // SAFETY: `Body` promises a value made of bytes only.
        let body = unsafe { core::slice::from_raw_parts(body as *const B as *const u8, size_of::<B>()) };
        self.emit_before(&body, config, program)
    }

    /// The slice comes by reference because the target passes five registers to a function, and a slice takes two.
    #[inline(never)]
    fn emit_before(&self, body: &&[u8], config: &AccountView, program: &AccountView) -> ProgramResult {
        let mut data = [0u8; 1 + EVENT_SIZE + MAX_BODY];
        let (head, rest) = data.split_at_mut(1 + EVENT_SIZE);
        head.copy_from_slice(self.as_bytes());
        rest[..body.len()].copy_from_slice(body);
        emit(&data[..1 + EVENT_SIZE + body.len()], config, program)
    }

    fn as_bytes(&self) -> &[u8] {
        // SAFETY: `repr(C)` of bytes only, without padding; the size is asserted above.
        unsafe { core::slice::from_raw_parts(self as *const Self as *const u8, size_of::<Self>()) }
    }
}

/// Calls this program with the event, signed by the config.
///
/// program
/// - must be the owner of the config: this program
#[inline(never)]
fn emit(data: &[u8], config: &AccountView, program: &AccountView) -> ProgramResult {
    let program_id = program.address();
    require(config.owned_by(program_id), KaratError::InvalidAddress)?;
    let bump = [state::load::<Config>(config, program_id)?.bump];
    let seeds = [Seed::from(CONFIG_SEED), Seed::from(&bump)];
    let accounts = [InstructionAccount::readonly_signer(config.address())];
    let instruction = InstructionView { program_id, data, accounts: &accounts };
    invoke_signed(&instruction, &[config], &[Signer::from(&seeds)])
}
