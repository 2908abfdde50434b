import type { Context } from '../context.js';
import { insertDeadLetter } from '../db/dead-letters.js';
import { forgetHouseMovements } from '../db/house-movements.js';
import { type LandedRedemption, markRedemptionsFinalized } from '../db/redemptions.js';
import type { RedemptionId } from '../domain/ids.js';

/** Notes that the transactions of these redemptions can no longer be undone by the chain. */
export async function finalizeRedemptions(ctx: Context, ids: RedemptionId[]): Promise<void> {
  if (ids.length > 0) await ctx.db.transaction((tx) => markRedemptionsFinalized(tx, ids));
}

/**
 * Tells the operators that the chain does not carry the payment of a redemption as it was recorded: it dropped the
 * transaction (`vanished`), or had it fail where it succeeded before, or the other way round (`conflicting_record`).
 */
export async function reportRedemption(
  ctx: Context,
  redemption: LandedRedemption,
  reason: 'vanished' | 'conflicting_record',
): Promise<void> {
  const { id, status, txSignature: signature, slot, tokensRequired } = redemption;
  const detail = { redemption_id: id, status, tokens: tokensRequired.toString() };
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await insertDeadLetter(tx, { signature, slot, reason, detail }, at);
    if (reason === 'vanished') await forgetHouseMovements(tx, signature);
  });
}
