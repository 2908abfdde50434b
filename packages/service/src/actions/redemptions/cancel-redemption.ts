import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { appendEvents } from '../../db/events/events.js';
import { isStorable } from '../../domain/encoding.js';
import type { RedemptionId } from '../../domain/ids.js';
import { actorOf, type Principal } from '../../domain/principal.js';
import { invalidField } from '../../errors.js';
import { redemptionEvent } from '../../events/partner-events.js';
import { recordMemberChange } from '../members/record-member-change.js';
import { getOwnRedemption } from './get-redemption.js';
import { moveByEvent } from './move-redemption.js';

/**
 * Requests the cancellation of a redemption whose preparation has not begun. The tokens stay in escrow. Throws
 * `invalid_request`, `redemption_not_found`, `partner_mismatch` or `cancellation_not_allowed`.
 */
export async function cancelRedemption(
  ctx: Context,
  tx: Tx,
  principal: Principal,
  {
    redemptionId,
    reason,
    requestId,
  }: { redemptionId: string; reason: string | undefined; requestId: string },
): Promise<RedemptionId> {
  if (reason !== undefined && !isStorable(reason)) {
    throw invalidField('reason', 'reason contains characters that are not allowed.');
  }
  const move = {
    event: 'request_cancellation',
    at: new Date(ctx.clock.now()),
    actor: actorOf(principal),
    note: reason ?? null,
  } as const;
  const load = () => getOwnRedemption(tx, principal, redemptionId);
  const moved = await moveByEvent(tx, load, move, { cancellationReason: reason ?? null });
  const facts = { operation: 'cancelRedemption', redemption_id: moved.id };
  await recordMemberChange(tx, { principal, requestId }, facts, move.at);
  await appendEvents(tx, [redemptionEvent(moved, requestId)], move.at);
  return moved.id;
}
