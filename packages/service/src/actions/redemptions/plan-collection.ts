import type { Context } from '../../context.js';
import { findBarOf } from '../../db/bars/bars.js';
import { lockPickupCode } from '../../db/redemptions/pickup-codes.js';
import type { Uuid } from '../../domain/ids.js';
import { nextStatus } from '../../domain/redemption.js';
import type { DatabasePlan } from '../approvals/plan.js';
import { planChange } from '../approvals/plan-change.js';
import { type NamedBar, requireBar } from '../bars/bar-of-redemption.js';
import { moveOn, requireStorable } from './advance-redemption.js';
import { getVisibleRedemption } from './get-redemption.js';
import { requireGold } from './held-redemption.js';
import { requireTokensFor } from './settled.js';

export interface CollectionWithoutCode {
  redemptionId: string;
  /** Why the customer has no code. */
  reason: string;
  note?: string | undefined;
  bar?: NamedBar | undefined;
  /** Who requested it, when another operator carries it out by approving it. */
  requestedBy?: Uuid | undefined;
}

/**
 * Plans to hand a bar over to somebody who has no pickup code, which takes two people. It is done only
 * while escrow holds the tokens, or once they are burned. Throws `redemption_not_found`, `bar_required`, `bar_not_available` and
 * `transition_not_allowed`.
 */
export async function planCollection(
  ctx: Context,
  input: CollectionWithoutCode,
): Promise<DatabasePlan<'redemption'>> {
  const { redemptionId, reason, note = null, bar, requestedBy } = input;
  requireStorable(note);
  return planChange(ctx, {
    action: 'redemption.collect',
    look: () => requireGold(ctx, { redemptionId, event: 'collect', byCode: false }),
    describe: async (tx) => {
      const found = await getVisibleRedemption(tx, redemptionId);
      // No code is tried meanwhile.
      await lockPickupCode(tx, found.id);
      const redemption = await getVisibleRedemption(tx, redemptionId);
      const { id, status, updatedAt, denomination, city } = redemption;
      nextStatus(status, 'collect');
      await requireBar(tx, redemption, bar);
      const settlement = await requireTokensFor(tx, id, 'collect');
      const reserved = await findBarOf(tx, id);
      return {
        objectId: id,
        request: {
          redemption_id: id,
          denomination,
          city,
          without_code: { reason },
          note,
          bar_serial: bar?.serial ?? null,
          bar_refiner: bar?.refiner ?? null,
        },
        before: { status, bar_serial: reserved?.serial ?? null },
        state: [id, status, updatedAt.toISOString(), reserved?.id ?? null, settlement?.id ?? null],
        takesTwo: true,
      };
    },
    apply: async (change) => ({
      redemption: await moveOn(ctx, change, {
        redemptionId,
        event: 'collect',
        byCode: false,
        note,
        reason,
        bar,
        requestedBy,
      }),
    }),
  });
}
