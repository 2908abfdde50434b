import type { Context } from '../context.js';
import { recordAttempt } from '../db/auth-attempts.js';

const windowMs = 60_000;

export interface Admission {
  admitted: boolean;
  limit: number;
  /** Requests that would be admitted now. */
  remaining: number;
  /** When the next one becomes free again. */
  resetSeconds: number;
}

/**
 * Counts a request to the auth routes and says whether it may go on: of any 60 seconds, no more than the limit, over all
 * processes. Refused requests do not count, so that whoever waits for `resetSeconds` gets through.
 */
export async function admitAuthRequest(ctx: Context, ip: string): Promise<Admission> {
  const limit = ctx.config.authRateLimitPerMinute;
  const nowMs = ctx.clock.now();
  const { admitted, used, oldestMs } = await ctx.db.transaction((tx) =>
    recordAttempt(tx, { ip: ip.slice(0, 64), nowMs, windowMs, limit }),
  );
  return {
    admitted,
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1_000)),
  };
}
