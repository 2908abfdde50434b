use crate::{
    accounts::{find_address, require_address, require_signer, NewAccount, ORDER_SEED, SYSTEM_PROGRAM_ID},
    error::{require, KaratError},
    state::{self, Receipt, State, I64},
    sysvar::unix_timestamp,
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// What an order is known by.
pub struct Order<'a> {
    pub integrator: &'a Address,
    pub id: &'a [u8; 16],
    /// Unix seconds.
    pub expire_at: I64,
}

/// The accounts that an order is written down with.
pub struct OrderAccounts<'a> {
    pub payer: &'a AccountView,
    pub receipt: &'a mut AccountView,
    pub system_program: &'a AccountView,
}

impl OrderAccounts<'_> {
    /// Makes the receipt of an order, which exists for as long as the order can be executed: however often and with whatever blockhash it
    /// is signed, it is executed once.
    ///
    /// payer
    /// - must sign
    ///
    /// order
    /// - must have an id
    /// - must expire within a day
    ///
    /// receipt
    /// - must be the canonical PDA of the order of this integrator, so that there is one only and no other partner can take its place
    /// - must not exist yet
    #[inline(never)]
    pub fn execute_once(&mut self, program_id: &Address, order: &Order) -> ProgramResult {
        let Order { integrator, id, expire_at } = *order;
        require_signer(self.payer)?;
        require_address(self.system_program, &SYSTEM_PROGRAM_ID)?;
        require(id != &[0; 16], KaratError::InvalidArgument)?;
        let latest = unix_timestamp()?.saturating_add(Receipt::LONGEST_ORDER);
        require(expire_at.get() <= latest, KaratError::ExpiryTooFar)?;
        let (address, bump) = find_address(&[ORDER_SEED, integrator.as_ref(), id], program_id)?;
        require_address(self.receipt, &address)?;
        require(!self.receipt.owned_by(program_id), KaratError::OrderExecuted)?;

        let closable_at = expire_at.get().checked_add(Receipt::KEPT_FOR).ok_or(KaratError::ArithmeticOverflow)?;
        let bump_seed = [bump];
        let seeds =
            [Seed::from(ORDER_SEED), Seed::from(integrator.as_ref()), Seed::from(id), Seed::from(&bump_seed)];
        let account = &*self.receipt;
        NewAccount { payer: self.payer, account, size: Receipt::SIZE, program_id, seeds: &seeds }.create()?;
        let mut receipt = state::load_new::<Receipt>(self.receipt)?;
        receipt.bump = bump;
        receipt.payer = *self.payer.address();
        receipt.closable_at.set(closable_at);
        Ok(())
    }
}
