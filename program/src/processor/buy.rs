use super::trade::{plus, Balances, Outcome, Terms, TradeAccounts};
use crate::{
    accounts::TREASURY_SEED,
    error::{require, KaratError},
    event::SIDE_BUY,
    instruction::{Arguments, BuyArgs, BUY},
    math::{quote_buy, BuyQuote},
    token::Transfer,
};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

/// A user pays USDC and gets GOLD: the fee goes to the fee account, the rest to the treasury, which pays the gold.
pub fn buy(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = BuyArgs::parse(data)?;
    let mut accounts = TradeAccounts::parse(accounts)?;
    let terms = accounts.check(program_id, &args.limits)?;

    // usdc_in
    // - must be positive
    // - must be at most the largest trade
    let usdc_in = args.usdc_in.get();
    require(usdc_in > 0, KaratError::ZeroAmount)?;
    require(usdc_in <= terms.max_trade_usdc, KaratError::TradeTooLarge)?;

    // gold_out
    // - must be positive
    // - must be at least min_gold_out
    let quote = quote_buy(usdc_in, terms.fee_bps, terms.quotation.price)?;
    require(quote.gold_out > 0, KaratError::ZeroAmount)?;
    require(quote.gold_out >= args.min_gold_out.get(), KaratError::SlippageExceeded)?;

    let expected = expected(&terms.before, usdc_in, &quote)?;
    let seq = accounts.count(program_id)?;
    transfer(&accounts, &terms, usdc_in, &quote)?;
    accounts.check_balances(&expected)?;
    let outcome =
        Outcome { kind: BUY, side: SIDE_BUY, seq, amount_in: usdc_in, amount_out: quote.gold_out, fee: quote.fee };
    accounts.log(program_id, &terms, &outcome)
}

/// The balances that the transfers must lead to.
///
/// user
/// - must have the USDC
///
/// treasury
/// - must have the gold
fn expected(before: &Balances, usdc_in: u64, quote: &BuyQuote) -> Result<Balances, ProgramError> {
    let user_usdc = before.user_usdc.checked_sub(usdc_in).ok_or(KaratError::InsufficientFunds)?;
    let treasury_gold = before.treasury_gold.checked_sub(quote.gold_out).ok_or(KaratError::InsufficientLiquidity)?;
    Ok(Balances {
        user_usdc,
        user_gold: plus(before.user_gold, quote.gold_out)?,
        treasury_usdc: plus(before.treasury_usdc, usdc_in - quote.fee)?,
        treasury_gold,
        fee_usdc: plus(before.fee_usdc, quote.fee)?,
    })
}

fn transfer(accounts: &TradeAccounts, terms: &Terms, usdc_in: u64, quote: &BuyQuote) -> ProgramResult {
    let payment = Transfer {
        from: accounts.user_usdc,
        mint: accounts.usdc_mint,
        to: accounts.treasury_usdc,
        authority: accounts.user,
        amount: usdc_in - quote.fee,
    };
    payment.invoke()?;
    if quote.fee > 0 {
        Transfer { to: accounts.fee_usdc, amount: quote.fee, ..payment }.invoke()?;
    }
    Transfer {
        from: accounts.treasury_gold,
        mint: accounts.gold_mint,
        to: accounts.user_gold,
        authority: accounts.treasury_authority,
        amount: quote.gold_out,
    }
    .invoke_signed(TREASURY_SEED, terms.treasury_bump)
}
