use super::{not_enough_accounts, require_escrow_accounts};
use crate::{
    accounts::{
        find_address, require_address, require_distinct, require_signer, require_vacant, NewAccount, REDEMPTION_SEED,
        SYSTEM_PROGRAM_ID,
    },
    error::{require, KaratError},
    event::{Event, RedemptionOpened},
    instruction::{Arguments, RedeemArgs, REDEEM},
    state::{self, Config, Redemption, State},
    sysvar::unix_timestamp,
    token::{balance, owned_balance, plus, Transfer, TOKEN_2022_PROGRAM_ID},
};
use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

/// Takes the gold of a user into escrow and writes down whose it is. The service signer vouches for the partner; a partner needs no
/// integrator for the redemptions of its users.
pub fn redeem(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = RedeemArgs::parse(data)?;
    let [payer, config_account, service_signer, user, user_gold, escrow_gold, gold_mint, redemption, token_program, system_program, program, ..] =
        accounts
    else {
        return Err(not_enough_accounts());
    };
    let mut config = state::load_mut::<Config>(config_account, program_id)?;

    // payer, service signer, user
    // - must sign
    // - the second must be one of the config
    require_signer(payer)?;
    require_signer(service_signer)?;
    require_signer(user)?;
    require(config.is_service_signer(service_signer.address()), KaratError::Unauthorized)?;

    // token program, mint, escrow account
    // - must be those of GOLD, and those of the config
    //
    // user's account
    // - must be a token account of the user
    // - must not be the escrow's
    require_address(system_program, &SYSTEM_PROGRAM_ID)?;
    let escrow_before = require_escrow_accounts(&config, escrow_gold, gold_mint, token_program)?;
    require_distinct(&[user_gold.address(), escrow_gold.address()])?;
    let user_before = owned_balance(user_gold, &config.gold(), user.address())?;

    // config
    // - must not pause redemptions
    //
    // arguments
    // - both ids must be set
    // - the amount must be positive
    // - the user must have it
    require(config.paused & Config::PAUSED_REDEEM == 0, KaratError::Paused)?;
    require(args.id != [0; 16] && args.partner_id != [0; 16], KaratError::InvalidArgument)?;
    let amount = args.amount.get();
    require(amount > 0, KaratError::ZeroAmount)?;
    let user_after = user_before.checked_sub(amount).ok_or(KaratError::InsufficientFunds)?;
    let escrow_after = plus(escrow_before, amount)?;

    // redemption
    // - must be the canonical PDA of its id, so that there is one only
    // - must not exist yet
    let (address, bump) = find_address(&[REDEMPTION_SEED, &args.id], program_id)?;
    require_address(redemption, &address)?;
    require_vacant(redemption, program_id)?;

    let open = plus(config.escrow_open.get(), amount)?;
    config.escrow_open.set(open);
    let seq = config.next_seq()?;
    let bump_seed = [bump];
    let seeds = [Seed::from(REDEMPTION_SEED), Seed::from(&args.id), Seed::from(&bump_seed)];
    NewAccount { payer, account: redemption, size: Redemption::SIZE, program_id, seeds: &seeds }.create()?;
    let mut opened = state::load_new::<Redemption>(redemption)?;
    opened.bump = bump;
    opened.id = args.id;
    opened.partner_id = args.partner_id;
    opened.user = *user.address();
    opened.rent_payer = *payer.address();
    opened.amount.set(amount);
    let now = unix_timestamp()?;
    let timeout = config.settings.redemption_timeout.get() as i64;
    opened.opened_at.set(now);
    let reclaimable_at = now.checked_add(timeout).ok_or(KaratError::ArithmeticOverflow)?.into();
    opened.reclaimable_at = reclaimable_at;

    Transfer {
        program: &TOKEN_2022_PROGRAM_ID,
        from: user_gold,
        mint: gold_mint,
        to: escrow_gold,
        authority: user,
        amount,
    }
    .invoke()?;
    let moved = balance(user_gold)? == user_after && balance(escrow_gold)? == escrow_after;
    require(moved, KaratError::BalanceMismatch)?;
    let event = Event::change(REDEEM, &args.partner_id, seq, config.market_state, user.address())
        .with_transfer(amount, amount, &config.escrow_authority)
        .with_id(&args.id);
    drop(config);
    event.emit_with(&RedemptionOpened { reclaimable_at }, config_account, program)
}
