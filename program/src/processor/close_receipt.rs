use super::not_enough_accounts;
use crate::{
    accounts::{close_account, require_address, require_distinct},
    error::{require, KaratError},
    instruction::{Arguments, NoArgs},
    state::{self, Receipt},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Closes the receipt of an order that can no longer be executed; its rent goes back to its payer. Anybody may do it, and it has no
/// event: nothing depends on the receipt by then.
pub fn close_receipt(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    NoArgs::parse(data)?;
    let [receipt_account, payer, ..] = accounts else {
        return Err(not_enough_accounts());
    };
    let receipt = *state::load::<Receipt>(receipt_account, program_id)?;

    // receipt
    // - its order must have expired, by an hour
    //
    // payer
    // - must be the one of the receipt
    require(unix_timestamp()? > receipt.closable_at.get(), KaratError::NotClosable)?;
    require_address(payer, &receipt.payer)?;
    require_distinct(&[payer.address(), receipt_account.address()])?;

    close_account(receipt_account, payer)
}
