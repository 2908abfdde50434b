use super::trade::{plus, Balances, Outcome, Terms, TradeAccounts};
use crate::{
    accounts::TREASURY_SEED,
    error::{require, KaratError},
    event::SIDE_SELL,
    instruction::{Arguments, SellArgs, SELL},
    math::{quote_sell, SellQuote},
    token::Transfer,
};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// A user pays GOLD and gets USDC: the gold goes to the treasury, which pays the user and the fee account.
pub fn sell(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = SellArgs::parse(data)?;
    let mut accounts = TradeAccounts::parse(accounts)?;
    let terms = accounts.check(program_id, &args.limits)?;

    // gold_in
    // - must be positive
    // - must be worth at most the largest trade, before the fee
    let gold_in = args.gold_in.get();
    require(gold_in > 0, KaratError::ZeroAmount)?;
    let quote = quote_sell(gold_in, terms.fee_bps, terms.quotation.price)?;
    require(quote.gross <= terms.max_trade_usdc, KaratError::TradeTooLarge)?;

    // usdc_out
    // - must be positive
    // - must be at least min_usdc_out
    require(quote.usdc_out > 0, KaratError::ZeroAmount)?;
    require(quote.usdc_out >= args.min_usdc_out.get(), KaratError::SlippageExceeded)?;

    let expected = expected(&terms.before, gold_in, &quote)?;
    let seq = accounts.count(program_id)?;
    transfer(&accounts, &terms, gold_in, &quote)?;
    accounts.check_balances(&expected)?;
    let outcome =
        Outcome { kind: SELL, side: SIDE_SELL, seq, amount_in: gold_in, amount_out: quote.usdc_out, fee: quote.fee };
    accounts.log(program_id, &terms, &outcome)
}

/// The balances that the transfers must lead to.
///
/// user
/// - must have the gold
///
/// treasury
/// - must have the USDC, with the fee
fn expected(before: &Balances, gold_in: u64, quote: &SellQuote) -> Result<Balances, ProgramError> {
    let user_gold = before.user_gold.checked_sub(gold_in).ok_or(KaratError::InsufficientFunds)?;
    let treasury_usdc = before.treasury_usdc.checked_sub(quote.gross).ok_or(KaratError::InsufficientLiquidity)?;
    Ok(Balances {
        user_usdc: plus(before.user_usdc, quote.usdc_out)?,
        user_gold,
        treasury_usdc,
        treasury_gold: plus(before.treasury_gold, gold_in)?,
        fee_usdc: plus(before.fee_usdc, quote.fee)?,
    })
}

fn transfer(accounts: &TradeAccounts, terms: &Terms, gold_in: u64, quote: &SellQuote) -> ProgramResult {
    Transfer {
        from: accounts.user_gold,
        mint: accounts.gold_mint,
        to: accounts.treasury_gold,
        authority: accounts.user,
        amount: gold_in,
    }
    .invoke()?;
    let payment = Transfer {
        from: accounts.treasury_usdc,
        mint: accounts.usdc_mint,
        to: accounts.user_usdc,
        authority: accounts.treasury_authority,
        amount: quote.usdc_out,
    };
    payment.invoke_signed(TREASURY_SEED, terms.treasury_bump)?;
    if quote.fee > 0 {
        Transfer { to: accounts.fee_usdc, amount: quote.fee, ..payment }
            .invoke_signed(TREASURY_SEED, terms.treasury_bump)?;
    }
    Ok(())
}
