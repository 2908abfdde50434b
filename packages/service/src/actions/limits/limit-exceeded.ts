import type { Clock } from '../../clock.js';
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
import type { Metrics } from '../../metrics/metrics.js';

/** A user of a partner, with the limits that hold for both; null if there are none. */
export interface Limited {
  id: UserId;
  partnerId: Uuid;
  velocity: Velocity | null;
}

/** A limit of a user or the partner that has no room. */
export type ExceededOf = ExceededLimit & Pick<Limited, 'id' | 'partnerId'>;

/** Returns the first limit of 24 hours that has no room for amounts. */
export function findExceededLimit(
  clock: Clock,
  { id, partnerId, velocity }: Limited,
  amounts: VelocityAmounts,
): ExceededOf | undefined {
  const exceeded = findExceeded(velocity ?? undefined, amounts, clock.now());
  return exceeded && { ...exceeded, id, partnerId };
}

/** Returns the error for amounts that a limit has no room for, and counts it. */
export function limitExceeded(metrics: Metrics, exceeded: ExceededOf, stage: 'quote' | 'submit'): AppError {
  const { scope, token } = exceeded;
  metrics.limitRefusals.inc({ scope, token, stage });
  const details = detailsOf(exceeded);
  return new AppError('limit_exceeded', messageOf(exceeded), { reason: 'limit_exceeded', details });
}

const owners: Record<VelocityScope, string> = {
  user: 'The user',
  partner: 'The users of the partner together',
};
const names: Record<VelocityToken, string> = { usdc: 'USDC', gold: 'GOLD' };

function messageOf(exceeded: ExceededLimit): string {
  const { scope, token, limit, used, reserved, requested, availableAtMs } = exceeded;
  const [most, moved, held, wanted] = [limit, used, reserved, requested].map(
    (amount) => `${amountNumber(amount)} ${names[token]}`,
  );
  const when =
    availableAtMs === undefined
      ? 'Request less.'
      : `There is room again at ${new Date(availableAtMs).toISOString()}; until then, request less.`;
  const open = reserved === 0n ? '' : `, and open quotes may move ${held}`;
  return `${owners[scope]} may move ${most} in 24 hours and moved ${moved}${open}; this moves up to ${wanted}. ${when}`;
}

/** Returns what a program needs to know of a limit. */
export function detailsOf(exceeded: ExceededLimit) {
  const { scope, token, limit, used, reserved, requested, availableAtMs } = exceeded;
  return {
    limit: `${scope}_daily_${token}`,
    period_hours: 24,
    amount: amountNumber(limit),
    used: amountNumber(used),
    reserved: amountNumber(reserved),
    requested: amountNumber(requested),
    available_at: availableAtMs === undefined ? null : new Date(availableAtMs).toISOString(),
  };
}
