use super::{is_zero, Flow, Proposal, Settings, State, Window, I64, U64};
use crate::{
    error::{require, KaratError},
    token::Token,
};
use pinocchio::{error::ProgramError, Address, ProgramResult};

/// Everything that holds for the whole program; one account, PDA `["config"]`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Config {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    pub treasury_bump: u8,
    pub escrow_bump: u8,
    pub market_state: u8,
    /// That of the treasury holds until `treasury_paused_until` only.
    pub paused: u8,
    pub reserved_header: [u8; 1],
    pub admin: Address,
    /// The next admin.
    pub admin_proposal: Proposal,
    pub hot_keys: HotKeys,
    pub usdc_mint: Address,
    pub gold_mint: Address,
    pub treasury_authority: Address,
    pub treasury_usdc: Address,
    pub treasury_gold: Address,
    pub fee_usdc: Address,
    pub escrow_authority: Address,
    pub escrow_gold: Address,
    pub settings: Settings,
    pub attestation: Attestation,
    /// Base units of GOLD that were burned so far.
    pub burned_total: U64,
    /// Base units of GOLD that open redemptions need.
    pub escrow_open: U64,
    /// Unix seconds.
    pub treasury_paused_until: I64,
    /// Events of this account so far; nothing depends on it but who reads them.
    pub seq: U64,
    /// What only the admin changes, so far: settings, accounts, hot keys, the admin.
    pub settings_seq: U64,
    /// Pauses and resumptions so far.
    pub pause_seq: U64,
    /// Of the treasury.
    pub usdc_flow: Flow,
    pub gold_flow: Flow,
    /// GOLD that was minted.
    pub minted: Window,
    pub reserved: [u8; 60],
}

const _: () = assert!(size_of::<Config>() == 2_128);

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for Config {
    const KIND: u8 = 1;
}

/// Keys that are at work every day. They are no settings: a proposal that is older than a replacement must not bring a stolen one back.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct HotKeys {
    /// Zero if the role is not assigned.
    pub operations: Address,
    /// Zero if the role is not assigned.
    pub market: Address,
    /// Zero if the role is not assigned.
    pub compliance: Address,
    /// Zero: an empty slot.
    pub service_signers: [Address; 2],
}

impl HotKeys {
    pub const OPERATIONS: u8 = 0;
    pub const MARKET: u8 = 1;
    pub const COMPLIANCE: u8 = 2;
    pub const SERVICE_SIGNER: u8 = 3;

    /// The place where `key` holds the role, zero an empty one.
    ///
    /// role
    /// - must be known
    ///
    /// key
    /// - must hold it: `KeyNotInRole`
    pub fn place_of(&mut self, role: u8, key: &Address) -> Result<&mut Address, ProgramError> {
        let places = match role {
            Self::OPERATIONS => core::slice::from_mut(&mut self.operations),
            Self::MARKET => core::slice::from_mut(&mut self.market),
            Self::COMPLIANCE => core::slice::from_mut(&mut self.compliance),
            Self::SERVICE_SIGNER => &mut self.service_signers[..],
            _ => return Err(KaratError::InvalidArgument.into()),
        };
        Ok(places.iter_mut().find(|place| *place == key).ok_or(KaratError::KeyNotInRole)?)
    }
}

/// What the attestor vouches for.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Attestation {
    /// Base units of GOLD that may exist.
    pub amount: U64,
    /// Unix seconds: the moment that the report is about.
    pub as_of: I64,
    /// `burned_total` at that moment: what was burned since is covered by the report no more.
    pub burned_at_as_of: U64,
    /// SHA-256 of the report.
    pub report_hash: [u8; 32],
}

impl Config {
    pub const MARKET_OPEN: u8 = 0;
    pub const MARKET_CLOSED: u8 = 1;
    pub const PAUSED_TRADE: u8 = 1;
    pub const PAUSED_PARTNER: u8 = 2;
    pub const PAUSED_WITHDRAW: u8 = 4;
    pub const PAUSED_REDEEM: u8 = 8;
    pub const PAUSED_SETTLE: u8 = 16;
    pub const PAUSED_TREASURY: u8 = 32;
    /// Everything that lasts until the admin resumes it.
    pub const PAUSED_AT_FIRST: u8 = 31;
    /// Seconds that a pause of the treasury lasts: seven days.
    pub const TREASURY_PAUSE: i64 = 604_800;

    /// mask
    /// - must be known bits, at least one
    pub fn require_pause_mask(mask: u8) -> ProgramResult {
        require(mask > 0 && mask < Self::PAUSED_TREASURY * 2, KaratError::InvalidArgument)
    }

    /// Whether the treasury is paused at `now`, unix seconds.
    pub fn is_treasury_paused(&self, now: i64) -> bool {
        self.paused & Self::PAUSED_TREASURY != 0 && now < self.treasury_paused_until.get()
    }

    /// treasury
    /// - must not be paused
    pub fn require_treasury(&self, now: i64) -> ProgramResult {
        require(!self.is_treasury_paused(now), KaratError::Paused)
    }

    /// USDC, of the mint of the config.
    #[inline(always)]
    pub fn usdc(&self) -> Token<'_> {
        Token::usdc(&self.usdc_mint)
    }

    /// GOLD, of the mint of the config.
    #[inline(always)]
    pub fn gold(&self) -> Token<'_> {
        Token::gold(&self.gold_mint)
    }

    /// The number of the next event, counted.
    pub fn next_seq(&mut self) -> Result<u64, ProgramError> {
        count(&mut self.seq)
    }

    /// As `next_seq`, of what only the admin changes.
    pub fn next_settings_seq(&mut self) -> Result<u64, ProgramError> {
        count(&mut self.settings_seq)?;
        self.next_seq()
    }

    /// As `next_seq`, of a pause or a resumption.
    pub fn next_pause_seq(&mut self) -> Result<u64, ProgramError> {
        count(&mut self.pause_seq)?;
        self.next_seq()
    }

    /// Whether `address` fills one of the signer slots.
    #[inline(always)]
    pub fn is_service_signer(&self, address: &Address) -> bool {
        !is_zero(address) && self.hot_keys.service_signers.contains(address)
    }

    /// Whether `address` is the operations key; false for every address while it is zero.
    #[inline(always)]
    pub fn is_operations(&self, address: &Address) -> bool {
        !is_zero(address) && address == &self.hot_keys.operations
    }

    /// roles, as they would be with this admin and these settings
    /// - the guardian must not be the admin
    /// - the attestor, if there is one, must be none of admin, guardian, operations and service signers
    /// - the two service signers must differ, unless both slots are empty
    pub fn require_separate_roles(&self, admin: &Address, settings: &Settings) -> ProgramResult {
        let HotKeys { operations, service_signers: [first, second], .. } = &self.hot_keys;
        let attestor = &settings.attestor;
        let alone = ![admin, &settings.guardian, operations, first, second].contains(&attestor);
        let separate = (is_zero(attestor) || alone) && &settings.guardian != admin;
        require(separate && (is_zero(first) || first != second), KaratError::RoleConflict)
    }

    /// Counts what moves between treasury and traders or owners, base units; `DailyLimitExceeded` when more leaves it, less what came in,
    /// than the settings allow.
    pub fn count_flow(&mut self, now: i64, flow: &Moved) -> ProgramResult {
        if flow.usdc_in > 0 {
            self.usdc_flow.add_in(now, flow.usdc_in);
        }
        if flow.gold_in > 0 {
            self.gold_flow.add_in(now, flow.gold_in);
        }
        if flow.usdc_out > 0 {
            self.usdc_flow.add_out(now, flow.usdc_out, self.settings.daily_outflow_usdc.get())?;
        }
        if flow.gold_out > 0 {
            self.gold_flow.add_out(now, flow.gold_out, self.settings.daily_outflow_gold.get())?;
        }
        Ok(())
    }

    /// attestation
    /// - must be of a moment within the allowed age
    /// - less what was burned since, must cover `supply`, base units
    pub fn require_backed(&self, supply: u64, now: i64) -> ProgramResult {
        let Attestation { amount, as_of, burned_at_as_of, .. } = &self.attestation;
        let age = now.saturating_sub(as_of.get());
        require(age <= self.settings.max_attestation_age.get() as i64, KaratError::AttestationStale)?;
        let burned_since = self.burned_total.get().saturating_sub(burned_at_as_of.get());
        require(supply <= amount.get().saturating_sub(burned_since), KaratError::NotBacked)
    }

    /// As `require_backed`, for GOLD that leaves the treasury, unless the settings let it leave without.
    #[inline(always)]
    pub fn require_backed_outflow(&self, supply: u64, now: i64) -> ProgramResult {
        if self.settings.require_backing == 0 {
            return Ok(());
        }
        self.require_backed(supply, now)
    }
}

/// Base units into the treasury and out of it.
#[derive(Clone, Copy, Default)]
pub struct Moved {
    pub usdc_in: u64,
    pub usdc_out: u64,
    pub gold_in: u64,
    pub gold_out: u64,
}

fn count(counter: &mut U64) -> Result<u64, ProgramError> {
    let next = counter.get().checked_add(1).ok_or(KaratError::ArithmeticOverflow)?;
    counter.set(next);
    Ok(next)
}
