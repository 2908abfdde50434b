import type { Context } from '../context.js';
import { recordAttempt, recordInWindow } from '../db/auth-attempts.js';
import { unlessHung } from '../db/outage.js';

const windowMs = 60_000;

/**
 * Budgets of routes that need no key, each per IP address: keys are minted on one, signed transactions submitted on another,
 * and the price has one of its own, so that who watches it can still submit.
 */
export type OpenBudget = 'auth' | 'submit' | 'price';
/**
 * Also the budget of operators, by id, who are too few to need leases as keys do, and that of requests with invalid
 * keys, by IP address.
 */
export type CountedBudget = OpenBudget | 'operator' | 'bad_key';

export interface Admission {
  admitted: boolean;
  limit: number;
  /** Requests that would be admitted now. */
  remaining: number;
  /** When the next one becomes free again, in milliseconds since the Unix epoch and in seconds from now. */
  freeAtMs: number;
  resetSeconds: number;
}

/**
 * Counts a request against a budget and says whether it may go on: of any 60 seconds, no more than the limit, over all
 * processes; for operators, of a minute that begins with the first request after the last one was over. Refused requests
 * do not count, so that whoever waits for `resetSeconds` gets through.
 * @param who whose budget it is: an IP address, or the id of an operator.
 * @param count as how many requests it counts; an operator's counts once.
 */
export async function admitCounted(
  ctx: Context,
  budget: CountedBudget,
  who: string,
  count = 1,
): Promise<Admission> {
  const limit = limitOf(ctx, budget);
  const counter = budget === 'auth' ? who : `${budget}:${who}`;
  const nowMs = ctx.clock.now();
  const name = counter.slice(0, 64);
  // Submitting may wait for the chain much longer than anything may wait for the database.
  const { admitted, used, oldestMs } = await unlessHung(
    ctx.db.transaction((tx) =>
      budget === 'operator'
        ? recordInWindow(tx, { name, nowMs, windowMs, limit })
        : recordAttempt(tx, { ip: name, nowMs, windowMs, limit, count }),
    ),
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

/** Requests a minute that a budget takes. */
export function limitOf({ config }: Context, budget: CountedBudget): number {
  if (budget === 'auth') return config.authRateLimitPerMinute;
  return budget === 'operator' ? config.operatorRateLimitPerMinute : config.openRateLimitPerMinute;
}
