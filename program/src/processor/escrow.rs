//! What ends a redemption, by `settle_redemption` or `reclaim_redemption`.

use super::{not_enough_accounts, require_escrow_accounts};
use crate::{
    accounts::{close_account, require_address, require_distinct, ESCROW_SEED},
    error::{require, KaratError},
    state::{self, Config, Redemption},
    token::{owned_balance, Transfer, TOKEN_2022_PROGRAM_ID},
};
use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};

/// The accounts behind config and signer, in the order of the two instructions.
pub struct Escrow<'a> {
    pub redemption: &'a mut AccountView,
    pub rent_payer: &'a mut AccountView,
    pub escrow_authority: &'a AccountView,
    pub escrow_gold: &'a AccountView,
    pub gold_mint: &'a AccountView,
    pub destination: &'a AccountView,
    pub token_program: &'a AccountView,
    pub program: &'a AccountView,
}

impl<'a> Escrow<'a> {
    pub fn parse(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [redemption, rent_payer, escrow_authority, escrow_gold, gold_mint, destination, token_program, program, ..] =
            accounts
        else {
            return Err(not_enough_accounts());
        };
        Ok(Self {
            redemption,
            rent_payer,
            escrow_authority,
            escrow_gold,
            gold_mint,
            destination,
            token_program,
            program,
        })
    }

    /// redemption
    /// - must be open, which its account shows
    /// - must be the one that is named
    ///
    /// rent payer
    /// - must be the one of the redemption
    ///
    /// token program, mint, escrow accounts
    /// - must be those of GOLD, and those of the config
    #[inline(always)] // it has more arguments than the target passes to a function
    pub fn check(&self, program_id: &Address, config: &Config, id: &[u8; 16]) -> Result<Redemption, ProgramError> {
        let redemption = *state::load::<Redemption>(self.redemption, program_id)?;
        require(&redemption.id == id, KaratError::InvalidAddress)?;
        require_address(self.rent_payer, &redemption.rent_payer)?;
        require_distinct(&[self.rent_payer.address(), self.redemption.address()])?;
        require_address(self.escrow_authority, &config.escrow_authority)?;
        require_escrow_accounts(config, self.escrow_gold, self.gold_mint, self.token_program)?;
        Ok(redemption)
    }

    /// Gives the gold back.
    ///
    /// destination
    /// - must be a GOLD account of the user who paid, none of escrow's
    #[inline(never)]
    pub fn pay_back(&self, config: &mut Config, redemption: &Redemption) -> ProgramResult {
        require(self.destination.address() != &config.escrow_gold, KaratError::AccountAlias)?;
        owned_balance(self.destination, &config.gold(), &redemption.user)?;
        let amount = redemption.amount.get();
        take(config, amount)?;
        let bump = [config.escrow_bump];
        let seeds = [Seed::from(ESCROW_SEED), Seed::from(&bump)];
        let transfer = Transfer {
            program: &TOKEN_2022_PROGRAM_ID,
            from: self.escrow_gold,
            mint: self.gold_mint,
            to: self.destination,
            authority: self.escrow_authority,
            amount,
        };
        transfer.pay_out(&seeds, KaratError::EscrowShort)
    }

    /// Closes the account of the redemption; its rent goes back to its payer. It comes last: lamports must not have moved when another program
    /// is called.
    pub fn close(&mut self) -> ProgramResult {
        close_account(self.redemption, self.rent_payer)
    }
}

/// Counts what leaves the open redemptions, base units.
pub fn take(config: &mut Config, amount: u64) -> ProgramResult {
    let open = config.escrow_open.get().checked_sub(amount).ok_or(KaratError::ArithmeticOverflow)?;
    config.escrow_open.set(open);
    Ok(())
}
