use super::{escrow::Escrow, not_enough_accounts};
use crate::{
    accounts::require_signer,
    error::{require, KaratError},
    event::Event,
    instruction::{Arguments, RedemptionArgs, RECLAIM_REDEMPTION},
    state::{self, Config},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, Address, ProgramResult};

/// Gives the gold of a redemption that nobody settled back to its user, who needs nobody for it: no pause and no key stops it.
pub fn reclaim_redemption(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let args = RedemptionArgs::parse(data)?;
    let [config_account, user, rest @ ..] = accounts else {
        return Err(not_enough_accounts());
    };
    let mut escrow = Escrow::parse(rest)?;
    let mut config = state::load_mut::<Config>(config_account, program_id)?;

    // redemption, escrow accounts
    // - must be as `Escrow::check` wants them
    //
    // user
    // - must sign
    // - must be the one of the redemption
    let redemption = escrow.check(program_id, &config, &args.id)?;
    require_signer(user)?;
    require(user.address() == &redemption.user, KaratError::Unauthorized)?;

    // redemption
    // - its time must be over
    // - must not have a burn announced that can still be done: its metal is being handed out
    let now = unix_timestamp()?;
    require(now >= redemption.reclaimable_at.get(), KaratError::NotReady)?;
    require(!redemption.burn_is_announced(now), KaratError::BurnAnnounced)?;

    escrow.pay_back(&mut config, &redemption)?;
    let seq = config.next_seq()?;
    let (amount, market_state) = (redemption.amount.get(), config.market_state);
    let event = Event::change(RECLAIM_REDEMPTION, &redemption.partner_id, seq, market_state, user.address())
        .with_transfer(amount, amount, &redemption.user)
        .with_id(&redemption.id);
    drop(config);
    event.emit(config_account, escrow.program)?;
    escrow.close()
}
