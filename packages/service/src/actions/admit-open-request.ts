import type { Context } from '../context.js';
import { recordAttempt } from '../db/auth-attempts.js';
import { unlessHung } from '../db/outage.js';

const windowMs = 60_000;

/**
 * Budgets of routes that need no key, each per IP address: keys are minted on one, signed transactions submitted on another,
 * and the price has one of its own, so that who watches it can still submit.
 */
export type OpenBudget = 'auth' | 'submit' | 'price';

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
 * Counts a request to an open route and says whether it may go on: of any 60 seconds, no more than the limit, over all
 * processes. Refused requests do not count, so that whoever waits for `resetSeconds` gets through.
 * @param count as how many requests it counts.
 */
export async function admitOpenRequest(
  ctx: Context,
  budget: OpenBudget,
  ip: string,
  count = 1,
): Promise<Admission> {
  const { authRateLimitPerMinute, openRateLimitPerMinute } = ctx.config;
  const limit = budget === 'auth' ? authRateLimitPerMinute : openRateLimitPerMinute;
  const counter = budget === 'auth' ? ip : `${budget}:${ip}`;
  const nowMs = ctx.clock.now();
  const attempt = { ip: counter.slice(0, 64), nowMs, windowMs, limit, count };
  // Submitting may wait for the chain much longer than anything may wait for the database.
  const { admitted, used, oldestMs } = await unlessHung(
    ctx.db.transaction((tx) => recordAttempt(tx, attempt)),
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
