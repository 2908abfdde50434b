use super::{
    buy::exchange_for_gold,
    trade::{Exchange, TradeAccounts},
};
use crate::{
    error::{require, KaratError},
    event::SIDE_BUY,
    instruction::{Arguments, PartnerPurchaseArgs, PARTNER_PURCHASE},
    math::quote_purchase,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// A partner's vault gets GOLD and pays what it costs in USDC.
pub fn partner_purchase(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = PartnerPurchaseArgs::parse(data)?;
    let accounts = TradeAccounts::of_vault(accounts, SIDE_BUY)?;
    let terms = accounts.check(program_id, &args.limits)?;

    // gold_out
    // - must be positive
    let gold_out = args.gold_out.get();
    require(gold_out > 0, KaratError::ZeroAmount)?;

    // usdc_in, with the fee
    // - must be at most the largest trade
    // - must be at most max_usdc_in, and at least min_usdc_in
    let quote = quote_purchase(gold_out, terms.fee_bps, terms.quotation.price)?;
    require(quote.usdc_in <= terms.max_trade_usdc, KaratError::TradeTooLarge)?;
    require(quote.usdc_in <= args.max_usdc_in.get(), KaratError::SlippageExceeded)?;
    require(quote.usdc_in >= args.min_usdc_in.get(), KaratError::PriceMoved)?;

    let exchange = Exchange {
        kind: PARTNER_PURCHASE,
        side: SIDE_BUY,
        id: args.id,
        expire_at: args.limits.expire_at,
        amount_in: quote.usdc_in,
        amount_out: gold_out,
        fee: quote.fee,
    };
    exchange_for_gold(accounts, program_id, &terms, &exchange)
}
