import type { Context } from '../../context.js';
import { recordAttempt } from '../../db/limits/auth-attempts.js';
import { unlessHung } from '../../db/outage.js';

const windowMs = 60_000;

/**
 * Budgets of routes that need no key, each per IP address: keys are minted on one, signed transactions submitted on another;
 * the price and the lists of bars have one each, so that those who read them can still submit.
 */
export type OpenBudget = 'auth' | 'submit' | 'price' | 'reserves';
/** Also the budget of requests with invalid keys, by IP address. */
export type CountedBudget = OpenBudget | 'bad_key';

export interface Admission {
  admitted: boolean;
  limit: number;
  remaining: number;
  /** When the next one becomes free again, in milliseconds since the Unix epoch and in seconds from now. */
  freeAtMs: number;
  resetSeconds: number;
}

/**
 * Counts a request against the budget of an IP address and returns whether it may go on: no more than the limit in any
 * 60 seconds, over all processes. Refused requests do not count, so a caller who waits for `resetSeconds` gets through.
 * @param count as how many requests it counts.
 */
export async function admitCounted(
  ctx: Context,
  budget: CountedBudget,
  address: string,
  count = 1,
): Promise<Admission> {
  const limit = limitOf(ctx, budget);
  const counter = `${budget}:${address}`.slice(0, 64);
  const nowMs = ctx.clock.now();
  // Submitting may wait for the chain much longer than anything may wait for the database.
  const { admitted, used, oldestMs } = await unlessHung(
    ctx.db.transaction((tx) => recordAttempt(tx, { counter, nowMs, windowMs, limit, count })),
  );
  const freeAtMs = oldestMs + windowMs;
  return {
    admitted,
    limit,
    remaining: Math.max(0, limit - used),
    freeAtMs,
    resetSeconds: Math.max(1, Math.ceil((freeAtMs - nowMs) / 1_000)),
  };
}

function limitOf({ config }: Context, budget: CountedBudget): number {
  return budget === 'auth' ? config.authRateLimitPerMinute : config.openRateLimitPerMinute;
}
