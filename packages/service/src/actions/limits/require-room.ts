import type { Context } from '../../context.js';
import type { UserId, Uuid } from '../../domain/ids.js';
import { amountNumber } from '../../domain/money.js';
import {
  type ExceededLimit,
  findExceeded,
  type Velocity,
  type VelocityAmounts,
  type VelocityScope,
  type VelocityToken,
} from '../../domain/velocity.js';
import { AppError } from '../../errors.js';

/** A user of a partner, with the limits that hold for both; null if there are none. */
export interface Limited {
  id: UserId;
  partnerId: Uuid;
  velocity: Velocity | null;
}

/**
 * Throws `limit_exceeded` for amounts that a limit of 24 hours has no room for. At a quote that is a look ahead; where a
 * transaction is sent, what was moved is locked, and the refusal goes into the audit log.
 */
export function requireRoom(
  ctx: Context,
  { id, partnerId, velocity }: Limited,
  amounts: VelocityAmounts,
  stage: 'quote' | 'submit',
): void {
  const exceeded = findExceeded(velocity ?? undefined, amounts, ctx.clock.now());
  if (!exceeded) return;
  const { scope, token } = exceeded;
  ctx.metrics.limitRefusals.inc({ scope, token, stage });
  const details = detailsOf(exceeded);
  if (stage === 'submit') {
    const objectId = scope === 'user' ? id : partnerId;
    const after = { ...details, partner_id: partnerId, user_id: id };
    const distinctBy = { partner_id: partnerId };
    ctx.decisions.note({ action: 'limits.refuse', objectType: scope, objectId, after, distinctBy });
  }
  throw new AppError('limit_exceeded', messageOf(exceeded), { reason: 'limit_exceeded', details });
}

const owners: Record<VelocityScope, string> = {
  user: 'The user',
  partner: 'The users of the partner together',
};
const names: Record<VelocityToken, string> = { usdc: 'USDC', gold: 'GOLD' };

function messageOf({ scope, token, limit, used, requested, availableAtMs }: ExceededLimit): string {
  const [most, moved, wanted] = [limit, used, requested].map(
    (amount) => `${amountNumber(amount)} ${names[token]}`,
  );
  const when =
    availableAtMs === undefined
      ? 'Request less.'
      : `There is room again at ${new Date(availableAtMs).toISOString()}; until then, request less.`;
  return `${owners[scope]} may move ${most} in 24 hours and moved ${moved}; this moves up to ${wanted}. ${when}`;
}

/** Returns what a program needs to know of a limit. */
function detailsOf({ scope, token, limit, used, requested, availableAtMs }: ExceededLimit) {
  return {
    limit: `${scope}_daily_${token}`,
    period_hours: 24,
    amount: amountNumber(limit),
    used: amountNumber(used),
    requested: amountNumber(requested),
    available_at: availableAtMs === undefined ? null : new Date(availableAtMs).toISOString(),
  };
}
