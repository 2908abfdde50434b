import type { Context } from '../../context.js';
import type { VelocityAmounts } from '../../domain/velocity.js';
import { detailsOf, findExceededLimit, type Limited, limitExceeded } from './limit-exceeded.js';

/**
 * Throws `limit_exceeded` for amounts of a transaction that is about to be sent and that a limit has no room for. What was moved is
 * locked, and the refusal goes into the audit log.
 */
export function requireRoom(ctx: Context, limited: Limited, amounts: VelocityAmounts): void {
  const exceeded = findExceededLimit(ctx.clock, limited, amounts);
  if (!exceeded) return;
  const { id, partnerId, scope } = exceeded;
  const objectId = scope === 'user' ? id : partnerId;
  const after = { ...detailsOf(exceeded), partner_id: partnerId, user_id: id };
  const distinctBy = { partner_id: partnerId };
  ctx.decisions.note({ action: 'limits.refuse', objectType: scope, objectId, after, distinctBy });
  throw limitExceeded(ctx.metrics, exceeded, 'submit');
}
