use super::{is_zero, Proposal, Settings, State, Window, I64, U16, U32, U64, ZERO};
use crate::{
    error::{require, KaratError},
    event::{Executives, SIDE_NONE},
    state::Config,
};
use pinocchio::{error::ProgramError, Address, ProgramResult};

/// Most executive authorities that a partner may have.
pub const MAX_EXECUTIVES: usize = 8;

/// Roles of a partner that are one key each: 0 its wallet, 1 the update authority, 2 the withdrawal authority.
pub const AUTHORITIES: usize = 3;

/// One partner; PDA `["integrator", partner_id]`. It owns the two token accounts of the partner's vault.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Integrator {
    pub kind: u8,
    pub version: u8,
    pub bump: u8,
    pub status: u8,
    pub executive_count: u8,
    /// Side of the last trade of the vault.
    pub vault_side: u8,
    pub reserved_header: [u8; 2],
    /// The bytes of the partner UUID.
    pub partner_id: [u8; 16],
    /// Events so far.
    pub seq: U64,
    pub open_fee_bps: U16,
    pub closed_fee_bps: U16,
    /// Changes of the terms so far; trades, which count `seq`, are none.
    pub terms_seq: U32,
    pub partner_wallet: Address,
    pub update_authority: Address,
    pub withdrawal_authority: Address,
    pub vault_usdc: Address,
    pub vault_gold: Address,
    /// The first `executive_count` are set, the rest is zero.
    pub executives: [Address; MAX_EXECUTIVES],
    /// Base units in 24 hours, before the fee, of users and vault together; `u64::MAX`: no limit.
    pub daily_limit_usdc: U64,
    /// Unix seconds: the last trade of the vault.
    pub vault_traded_at: I64,
    /// What was traded.
    pub usdc_volume: Window,
    /// What the admin proposes, by role.
    pub proposals: [Proposal; AUTHORITIES],
    pub reserved: [u8; 32],
}

const _: () = assert!(size_of::<Integrator>() == 828);

// SAFETY: `repr(C)`, bytes only, every bit pattern is valid.
unsafe impl State for Integrator {
    const KIND: u8 = 2;
}

impl Integrator {
    pub const ACTIVE: u8 = 0;
    pub const SUSPENDED: u8 = 1;

    /// The number of the next event, counted.
    pub fn next_seq(&mut self) -> Result<u64, ProgramError> {
        let seq = self.seq.get().checked_add(1).ok_or(KaratError::ArithmeticOverflow)?;
        self.seq.set(seq);
        Ok(seq)
    }

    /// The fee while the market is in this state, basis points.
    #[inline(always)]
    pub fn fee_bps(&self, market_state: u8) -> u16 {
        if market_state == Config::MARKET_OPEN {
            self.open_fee_bps.get()
        } else {
            self.closed_fee_bps.get()
        }
    }

    /// The key of a role; `InvalidArgument` for one that is unknown.
    pub fn authority(&self, role: u8) -> Result<&Address, ProgramError> {
        match role {
            0 => Ok(&self.partner_wallet),
            1 => Ok(&self.update_authority),
            2 => Ok(&self.withdrawal_authority),
            _ => Err(KaratError::InvalidArgument.into()),
        }
    }

    /// Replaces the key of a role that is known. What is proposed for it stays: a thief must not end a recovery by handing the role on.
    pub fn set_authority(&mut self, role: u8, key: &Address) {
        match role {
            0 => self.partner_wallet = *key,
            1 => self.update_authority = *key,
            _ => self.withdrawal_authority = *key,
        }
    }

    /// Whether `key` has one of the three roles.
    pub fn is_authority(&self, key: &Address) -> bool {
        [&self.partner_wallet, &self.update_authority, &self.withdrawal_authority].contains(&key)
    }

    /// Remembers a trade of the vault; `OppositeSideTooEarly` when the last one went the other way less than `wait` seconds ago: who sees
    /// the next price before the chain must not buy at one and sell at the other.
    pub fn take_side(&mut self, side: u8, now: i64, wait: u32) -> ProgramResult {
        let is_opposite = self.vault_side != SIDE_NONE && self.vault_side != side;
        let waited = now.saturating_sub(self.vault_traded_at.get()) >= wait as i64;
        require(!is_opposite || waited, KaratError::OppositeSideTooEarly)?;
        self.vault_side = side;
        self.vault_traded_at.set(now);
        Ok(())
    }

    /// What is proposed for a role; `InvalidArgument` for one that is unknown.
    pub fn proposal_mut(&mut self, role: u8) -> Result<&mut Proposal, ProgramError> {
        Ok(self.proposals.get_mut(role as usize).ok_or(KaratError::InvalidArgument)?)
    }

    /// Counts what is traded, base units of USDC before the fee; `DailyLimitExceeded` when that is more than the partner may.
    pub fn count_volume(&mut self, now: i64, usdc: u64) -> Result<(), ProgramError> {
        self.usdc_volume.add(now, usdc, self.daily_limit_usdc.get())
    }

    /// Whether `address` is one of the executive authorities.
    #[inline(always)]
    pub fn is_executive(&self, address: &Address) -> bool {
        !is_zero(address) && self.executives.contains(address)
    }

    /// Removes, then adds executive authorities.
    ///
    /// remove
    /// - must all be there
    ///
    /// add
    /// - must not be there
    /// - must leave at most 8, and at least one
    pub fn change_executives(&mut self, remove: &[Address], add: &[Address]) -> Result<(), ProgramError> {
        let mut count = self.executive_count as usize;
        for executive in remove {
            let found = self.executives[..count].iter().position(|known| known == executive);
            let index = found.ok_or(KaratError::ExecutiveMissing)?;
            self.executives.copy_within(index + 1..count, index);
            count -= 1;
            self.executives[count] = ZERO;
        }
        for executive in add {
            require(!self.is_executive(executive), KaratError::ExecutiveExists)?;
            require(count < MAX_EXECUTIVES, KaratError::TooManyExecutives)?;
            self.executives[count] = *executive;
            count += 1;
        }
        require(count > 0, KaratError::NoExecutiveLeft)?;
        self.executive_count = count as u8;
        Ok(())
    }

    /// The executive authorities, as events report them.
    pub fn listed_executives(&self) -> Executives {
        Executives { count: self.executive_count, keys: self.executives }
    }

    /// What `apply` replaces.
    pub fn terms(&self) -> PartnerTerms {
        PartnerTerms {
            status: self.status,
            open_fee_bps: self.open_fee_bps,
            closed_fee_bps: self.closed_fee_bps,
            daily_limit_usdc: self.daily_limit_usdc,
        }
    }

    /// Replaces everything that `PartnerTerms` holds, and counts the change.
    pub fn apply(&mut self, terms: &PartnerTerms) {
        self.terms_seq = self.terms_seq.get().wrapping_add(1).into(); // compared for equality only
        self.status = terms.status;
        self.open_fee_bps = terms.open_fee_bps;
        self.closed_fee_bps = terms.closed_fee_bps;
        self.daily_limit_usdc = terms.daily_limit_usdc;
    }
}

/// The addresses of a list of fixed length.
///
/// count
/// - must be at most 8
///
/// addresses
/// - must be set and unique; the slots after them must be empty
pub fn listed(count: u8, addresses: &[Address; MAX_EXECUTIVES]) -> Result<&[Address], ProgramError> {
    let count = count as usize;
    require(count <= MAX_EXECUTIVES, KaratError::InvalidArgument)?;
    for (index, address) in addresses.iter().enumerate() {
        require(is_zero(address) == (index >= count), KaratError::InvalidArgument)?;
        let repeated = !is_zero(address) && addresses[..index].contains(address);
        require(!repeated, KaratError::InvalidArgument)?;
    }
    Ok(&addresses[..count])
}

/// What `create_integrator` and `update_integrator` set, in the order of their arguments.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PartnerTerms {
    pub status: u8,
    pub open_fee_bps: U16,
    pub closed_fee_bps: U16,
    /// Base units; `u64::MAX`: no limit.
    pub daily_limit_usdc: U64,
}

impl PartnerTerms {
    /// terms
    /// - the status must be known
    /// - both fees must be within those of the settings
    /// - the limit must be positive, and at most what may leave the treasury
    pub fn validate(&self, settings: &Settings) -> Result<(), ProgramError> {
        require(self.status <= Integrator::SUSPENDED, KaratError::InvalidArgument)?;
        let (open, closed) = (self.open_fee_bps.get(), self.closed_fee_bps.get());
        require(open.max(closed) <= settings.max_fee_bps.get(), KaratError::FeeTooHigh)?;
        require(open.min(closed) >= settings.min_fee_bps.get(), KaratError::FeeTooLow)?;
        let limit = self.daily_limit_usdc.get();
        require(limit > 0, KaratError::InvalidArgument)?;
        require(limit <= settings.daily_outflow_usdc.get(), KaratError::LimitTooHigh)
    }
}
