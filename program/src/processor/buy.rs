use super::trade::{Balances, Exchange, Terms, TradeAccounts};
use crate::{
    error::{require, KaratError},
    event::SIDE_BUY,
    instruction::{Arguments, BuyArgs, BUY},
    math::quote_buy,
    token::{plus, Transfer, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID},
};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// A user pays USDC and gets GOLD.
pub fn buy(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = BuyArgs::parse(data)?;
    let accounts = TradeAccounts::of_user(accounts, SIDE_BUY)?;
    let terms = accounts.check(program_id, &args.limits)?;

    // usdc_in
    // - must be at most the largest trade
    let usdc_in = args.usdc_in.get();
    require(usdc_in <= terms.max_trade_usdc, KaratError::TradeTooLarge)?;

    // gold_out
    // - must be positive: so is what is paid
    // - must be at least min_gold_out, and at most max_gold_out
    let quote = quote_buy(usdc_in, terms.fee_bps, terms.quotation.price)?;
    require(quote.gold_out > 0, KaratError::ZeroAmount)?;
    require(quote.gold_out >= args.min_gold_out.get(), KaratError::SlippageExceeded)?;
    require(quote.gold_out <= args.max_gold_out.get(), KaratError::PriceMoved)?;

    let exchange = Exchange {
        kind: BUY,
        side: SIDE_BUY,
        id: args.id,
        expire_at: args.limits.expire_at,
        amount_in: usdc_in,
        amount_out: quote.gold_out,
        fee: quote.fee,
    };
    exchange_for_gold(accounts, program_id, &terms, &exchange)
}

/// The trader pays USDC, the fee to the fee account and the rest to the treasury, which pays the gold.
#[inline(never)]
pub(super) fn exchange_for_gold(
    mut accounts: TradeAccounts,
    program_id: &Address,
    terms: &Terms,
    exchange: &Exchange,
) -> ProgramResult {
    let expected = expected(&terms.before, exchange)?;
    let seq = accounts.count(program_id, terms, exchange)?;
    transfer(&accounts, terms, exchange)?;
    accounts.check_balances(&expected)?;
    accounts.emit(terms, seq, exchange)
}

/// The balances that the transfers must lead to.
///
/// trader
/// - must have the USDC
///
/// treasury
/// - must have the gold
fn expected(before: &Balances, exchange: &Exchange) -> Result<Balances, ProgramError> {
    let Exchange { amount_in, amount_out, fee, .. } = *exchange;
    let trader_usdc = before.trader_usdc.checked_sub(amount_in).ok_or(KaratError::InsufficientFunds)?;
    let treasury_gold = before.treasury_gold.checked_sub(amount_out).ok_or(KaratError::InsufficientLiquidity)?;
    Ok(Balances {
        trader_usdc,
        trader_gold: plus(before.trader_gold, amount_out)?,
        treasury_usdc: plus(before.treasury_usdc, amount_in.checked_sub(fee).ok_or(KaratError::ArithmeticOverflow)?)?,
        treasury_gold,
        fee_usdc: plus(before.fee_usdc, fee)?,
    })
}

fn transfer(accounts: &TradeAccounts, terms: &Terms, exchange: &Exchange) -> ProgramResult {
    let payment = Transfer {
        program: &TOKEN_PROGRAM_ID,
        from: accounts.trader_usdc,
        mint: accounts.usdc_mint,
        to: accounts.treasury_usdc,
        authority: accounts.trader(),
        amount: exchange.amount_in - exchange.fee, // checked with the balances
    };
    accounts.pay_from_trader(&payment, terms)?;
    if exchange.fee > 0 {
        let fee = Transfer { to: accounts.fee_usdc, amount: exchange.fee, ..payment };
        accounts.pay_from_trader(&fee, terms)?;
    }
    let gold = Transfer {
        program: &TOKEN_2022_PROGRAM_ID,
        from: accounts.treasury_gold,
        mint: accounts.gold_mint,
        to: accounts.trader_gold,
        authority: accounts.treasury_authority,
        amount: exchange.amount_out,
    };
    accounts.pay_from_treasury(&gold, terms)
}
