use super::trade::{Balances, Exchange, Terms, TradeAccounts};
use crate::{
    error::{require, KaratError},
    event::SIDE_SELL,
    instruction::{Arguments, SellArgs, SELL},
    math::quote_sell,
    token::{plus, Transfer, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID},
};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// A user pays GOLD and gets USDC.
pub fn sell(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SellArgs::parse(data)?;
    exchange_gold(TradeAccounts::of_user(accounts, SIDE_SELL)?, program_id, SELL, args)
}

/// The trader pays GOLD to the treasury, which pays USDC to the trader and to the fee account. `kind` is the instruction's number.
#[inline(never)]
pub(super) fn exchange_gold(
    mut accounts: TradeAccounts,
    program_id: &Address,
    kind: u8,
    args: &SellArgs,
) -> ProgramResult {
    let terms = accounts.check(program_id, &args.limits)?;

    // gold_in
    // - must be worth at most the largest trade, before the fee
    let gold_in = args.gold_in.get();
    let quote = quote_sell(gold_in, terms.fee_bps, terms.quotation.price)?;
    require(quote.gross <= terms.max_trade_usdc, KaratError::TradeTooLarge)?;

    // usdc_out
    // - must be positive: so is what is sold
    // - must be at least min_usdc_out, and at most max_usdc_out
    require(quote.usdc_out > 0, KaratError::ZeroAmount)?;
    require(quote.usdc_out >= args.min_usdc_out.get(), KaratError::SlippageExceeded)?;
    require(quote.usdc_out <= args.max_usdc_out.get(), KaratError::PriceMoved)?;

    let exchange = Exchange {
        kind,
        side: SIDE_SELL,
        id: args.id,
        expire_at: args.limits.expire_at,
        amount_in: gold_in,
        amount_out: quote.usdc_out,
        fee: quote.fee,
    };
    let expected = expected(&terms.before, &exchange)?;
    let seq = accounts.count(program_id, &terms, &exchange)?;
    transfer(&accounts, &terms, &exchange)?;
    accounts.check_balances(&expected)?;
    accounts.emit(&terms, seq, &exchange)
}

/// The balances that the transfers must lead to.
///
/// trader
/// - must have the gold
///
/// treasury
/// - must have the USDC, with the fee
fn expected(before: &Balances, exchange: &Exchange) -> Result<Balances, ProgramError> {
    let Exchange { amount_in, amount_out, fee, .. } = *exchange;
    let trader_gold = before.trader_gold.checked_sub(amount_in).ok_or(KaratError::InsufficientFunds)?;
    let gross = plus(amount_out, fee)?;
    let treasury_usdc = before.treasury_usdc.checked_sub(gross).ok_or(KaratError::InsufficientLiquidity)?;
    Ok(Balances {
        trader_usdc: plus(before.trader_usdc, amount_out)?,
        trader_gold,
        treasury_usdc,
        treasury_gold: plus(before.treasury_gold, amount_in)?,
        fee_usdc: plus(before.fee_usdc, fee)?,
    })
}

fn transfer(accounts: &TradeAccounts, terms: &Terms, exchange: &Exchange) -> ProgramResult {
    let gold = Transfer {
        program: &TOKEN_2022_PROGRAM_ID,
        from: accounts.trader_gold,
        mint: accounts.gold_mint,
        to: accounts.treasury_gold,
        authority: accounts.trader(),
        amount: exchange.amount_in,
    };
    accounts.pay_from_trader(&gold, terms)?;
    let payment = Transfer {
        program: &TOKEN_PROGRAM_ID,
        from: accounts.treasury_usdc,
        mint: accounts.usdc_mint,
        to: accounts.trader_usdc,
        authority: accounts.treasury_authority,
        amount: exchange.amount_out,
    };
    accounts.pay_from_treasury(&payment, terms)?;
    if exchange.fee > 0 {
        let fee = Transfer { to: accounts.fee_usdc, amount: exchange.fee, ..payment };
        accounts.pay_from_treasury(&fee, terms)?;
    }
    Ok(())
}
