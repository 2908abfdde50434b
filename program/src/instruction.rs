//! Instruction data: one byte that names the instruction, then its arguments, of exactly the right length.

use crate::{
    error::KaratError,
    event::EVENT_SIZE,
    state::{Attestation, HotKeys, PartnerTerms, Settings, I64, MAX_EXECUTIVES, U16, U32, U64},
};
use pinocchio::{error::ProgramError, Address};

pub const INITIALIZE: u8 = 0;
pub const PROPOSE_SETTINGS: u8 = 1;
pub const APPLY_SETTINGS: u8 = 2;
pub const CANCEL_SETTINGS: u8 = 3;
pub const PROPOSE_ADMIN: u8 = 4;
pub const ACCEPT_ADMIN: u8 = 5;
pub const CANCEL_ADMIN: u8 = 6;
pub const REPLACE_KEY: u8 = 7;
pub const ROTATE_ACCOUNTS: u8 = 8;
pub const PAUSE: u8 = 9;
pub const RESUME: u8 = 10;
pub const SET_MARKET: u8 = 11;
pub const CREATE_INTEGRATOR: u8 = 12;
pub const UPDATE_INTEGRATOR: u8 = 13;
pub const SUSPEND_INTEGRATOR: u8 = 14;
pub const UPDATE_EXECUTIVES: u8 = 15;
pub const HAND_OVER_AUTHORITY: u8 = 16;
pub const PROPOSE_AUTHORITY: u8 = 17;
pub const CANCEL_AUTHORITY: u8 = 18;
pub const APPLY_AUTHORITY: u8 = 19;
pub const BUY: u8 = 20;
pub const SELL: u8 = 21;
pub const PARTNER_PURCHASE: u8 = 22;
pub const PARTNER_SALE: u8 = 23;
pub const PARTNER_WITHDRAW: u8 = 24;
pub const CLOSE_RECEIPT: u8 = 25;
pub const REDEEM: u8 = 26;
pub const ANNOUNCE_BURN: u8 = 27;
pub const CANCEL_BURN: u8 = 28;
pub const SETTLE_REDEMPTION: u8 = 29;
pub const RECLAIM_REDEMPTION: u8 = 30;
pub const SWEEP_ESCROW: u8 = 31;
pub const TREASURY_WITHDRAW: u8 = 32;
pub const ATTEST: u8 = 33;
pub const MINT_GOLD: u8 = 34;
pub const FREEZE_ACCOUNT: u8 = 35;
pub const THAW_ACCOUNT: u8 = 36;
/// Of the program alone: the call that carries an event.
pub const EVENT: u8 = 255;

/// What `settle_redemption` does with the gold.
pub const SETTLE_BURN: u8 = 0;
pub const SETTLE_REFUND: u8 = 1;

/// Arguments of an instruction.
///
/// # Safety
/// The type is `repr(C)`, made of bytes only (alignment 1, no padding), and any bytes are a valid value of it.
pub unsafe trait Arguments: Sized {
    /// Length of the instruction's data, with the discriminator.
    const DATA_LENGTH: usize = 1 + size_of::<Self>();
    const ALIGNED: () = assert!(align_of::<Self>() == 1);

    /// The arguments in `data`, the bytes after the discriminator; `InvalidInstructionData` unless the length is exact.
    #[inline(always)]
    fn parse(data: &[u8]) -> Result<&Self, ProgramError> {
        let () = Self::ALIGNED;
        if data.len() != size_of::<Self>() {
            return Err(KaratError::InvalidInstructionData.into());
        }
        // SAFETY: the trait promises that any bytes of this length are a value.
        Ok(unsafe { &*(data.as_ptr() as *const Self) })
    }
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name { $(pub $field: $type),* }
        // SAFETY: `repr(C)` of types made of bytes only, every bit pattern of which is valid.
        unsafe impl Arguments for $name {}
    )*};
}

arguments! {
    /// The arguments of an instruction that has none.
    NoArgs {}
    InitializeArgs { admin: Address, hot_keys: HotKeys, settings: Settings }
    /// `expected_settings_seq` is the `settings_seq` that the caller saw.
    ProposeSettingsArgs { expected_settings_seq: U64, settings: Settings }
    ProposeAdminArgs { new_admin: Address }
    /// `old` and `new` are zero for an empty slot; of the constants of `HotKeys`, `role` is one.
    ReplaceKeyArgs { role: u8, old: Address, new: Address }
    RotateAccountsArgs { expected_settings_seq: U64 }
    PauseArgs { mask: u8 }
    /// `expected_pause_seq` is the `pause_seq` that the caller saw.
    ResumeArgs { mask: u8, expected_pause_seq: U64 }
    SetMarketArgs { market_state: u8 }
    CreateIntegratorArgs {
        partner_id: [u8; 16],
        terms: PartnerTerms,
        partner_wallet: Address,
        update_authority: Address,
        withdrawal_authority: Address,
        executive_count: u8,
        executives: [Address; MAX_EXECUTIVES],
    }
    /// `expected_terms_seq` is the `terms_seq` that the caller saw.
    UpdateIntegratorArgs { expected_terms_seq: U32, terms: PartnerTerms }
    /// Of each list the first `…_count` are set, the rest is zero.
    UpdateExecutivesArgs {
        remove_count: u8,
        remove: [Address; MAX_EXECUTIVES],
        add_count: u8,
        add: [Address; MAX_EXECUTIVES],
    }
    /// Amounts in base units; the gold is at least `min_gold_out`, for the user, and at most `max_gold_out`, for the treasury.
    BuyArgs { usdc_in: U64, min_gold_out: U64, max_gold_out: U64, limits: TradeLimits, id: [u8; 16] }
    /// Amounts in base units; the USDC after the fee is at least `min_usdc_out` and at most `max_usdc_out`.
    SellArgs { gold_in: U64, min_usdc_out: U64, max_usdc_out: U64, limits: TradeLimits, id: [u8; 16] }
    /// Amounts in base units; the USDC with the fee is at most `max_usdc_in` and at least `min_usdc_in`.
    PartnerPurchaseArgs { gold_out: U64, max_usdc_in: U64, min_usdc_in: U64, limits: TradeLimits, id: [u8; 16] }
    /// Base units, and Unix seconds.
    PartnerWithdrawArgs { amount: U64, expire_at: I64, id: [u8; 16] }
    /// Base units.
    TreasuryWithdrawArgs { amount: U64 }
    /// Base units; the ids are the bytes of UUIDs.
    RedeemArgs { id: [u8; 16], partner_id: [u8; 16], amount: U64 }
    /// Of what concerns one redemption.
    RedemptionArgs { id: [u8; 16] }
    SettleRedemptionArgs { id: [u8; 16], mode: u8 }
    /// Base units.
    SweepEscrowArgs { amount: U64 }
    AttestArgs { attestation: Attestation }
    /// Base units.
    MintGoldArgs { amount: U64 }
    /// The hash is SHA-256 of why.
    FreezeAccountArgs { reason_hash: [u8; 32] }
    /// `role`: 0 partner wallet, 1 update authority, 2 withdrawal authority.
    AuthorityArgs { role: u8, key: Address }
}

/// What a trade must not exceed by the time it lands.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct TradeLimits {
    pub max_fee_bps: U16,
    /// Unix seconds.
    pub expire_at: I64,
}

/// Name, discriminator and data length of every instruction.
pub const INSTRUCTIONS: [(&str, u8, usize); 38] = [
    ("initialize", INITIALIZE, InitializeArgs::DATA_LENGTH),
    ("proposeSettings", PROPOSE_SETTINGS, ProposeSettingsArgs::DATA_LENGTH),
    ("applySettings", APPLY_SETTINGS, NoArgs::DATA_LENGTH),
    ("cancelSettings", CANCEL_SETTINGS, NoArgs::DATA_LENGTH),
    ("proposeAdmin", PROPOSE_ADMIN, ProposeAdminArgs::DATA_LENGTH),
    ("acceptAdmin", ACCEPT_ADMIN, NoArgs::DATA_LENGTH),
    ("cancelAdmin", CANCEL_ADMIN, NoArgs::DATA_LENGTH),
    ("replaceKey", REPLACE_KEY, ReplaceKeyArgs::DATA_LENGTH),
    ("rotateAccounts", ROTATE_ACCOUNTS, RotateAccountsArgs::DATA_LENGTH),
    ("pause", PAUSE, PauseArgs::DATA_LENGTH),
    ("resume", RESUME, ResumeArgs::DATA_LENGTH),
    ("setMarket", SET_MARKET, SetMarketArgs::DATA_LENGTH),
    ("createIntegrator", CREATE_INTEGRATOR, CreateIntegratorArgs::DATA_LENGTH),
    ("updateIntegrator", UPDATE_INTEGRATOR, UpdateIntegratorArgs::DATA_LENGTH),
    ("suspendIntegrator", SUSPEND_INTEGRATOR, NoArgs::DATA_LENGTH),
    ("updateExecutives", UPDATE_EXECUTIVES, UpdateExecutivesArgs::DATA_LENGTH),
    ("handOverAuthority", HAND_OVER_AUTHORITY, AuthorityArgs::DATA_LENGTH),
    ("proposeAuthority", PROPOSE_AUTHORITY, AuthorityArgs::DATA_LENGTH),
    ("cancelAuthority", CANCEL_AUTHORITY, AuthorityArgs::DATA_LENGTH),
    ("applyAuthority", APPLY_AUTHORITY, AuthorityArgs::DATA_LENGTH),
    ("buy", BUY, BuyArgs::DATA_LENGTH),
    ("sell", SELL, SellArgs::DATA_LENGTH),
    ("partnerPurchase", PARTNER_PURCHASE, PartnerPurchaseArgs::DATA_LENGTH),
    ("partnerSale", PARTNER_SALE, SellArgs::DATA_LENGTH),
    ("partnerWithdraw", PARTNER_WITHDRAW, PartnerWithdrawArgs::DATA_LENGTH),
    ("closeReceipt", CLOSE_RECEIPT, NoArgs::DATA_LENGTH),
    ("redeem", REDEEM, RedeemArgs::DATA_LENGTH),
    ("announceBurn", ANNOUNCE_BURN, RedemptionArgs::DATA_LENGTH),
    ("cancelBurn", CANCEL_BURN, RedemptionArgs::DATA_LENGTH),
    ("settleRedemption", SETTLE_REDEMPTION, SettleRedemptionArgs::DATA_LENGTH),
    ("reclaimRedemption", RECLAIM_REDEMPTION, RedemptionArgs::DATA_LENGTH),
    ("sweepEscrow", SWEEP_ESCROW, SweepEscrowArgs::DATA_LENGTH),
    ("treasuryWithdraw", TREASURY_WITHDRAW, TreasuryWithdrawArgs::DATA_LENGTH),
    ("attest", ATTEST, AttestArgs::DATA_LENGTH),
    ("mintGold", MINT_GOLD, MintGoldArgs::DATA_LENGTH),
    ("freezeAccount", FREEZE_ACCOUNT, FreezeAccountArgs::DATA_LENGTH),
    ("thawAccount", THAW_ACCOUNT, NoArgs::DATA_LENGTH),
    ("event", EVENT, 1 + EVENT_SIZE), // and the body that follows it
];
