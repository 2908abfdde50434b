use super::{sell::exchange_gold, trade::TradeAccounts};
use crate::{
    event::SIDE_SELL,
    instruction::{Arguments, SellArgs, PARTNER_SALE},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// A partner's vault pays GOLD and gets USDC, by the arithmetic and the rules of `sell`.
pub fn partner_sale(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SellArgs::parse(data)?;
    exchange_gold(TradeAccounts::of_vault(accounts, SIDE_SELL)?, program_id, PARTNER_SALE, args)
}
