import type { Context } from '../context.js';
import { deleteAttemptsBefore } from '../db/auth-attempts.js';
import { deleteChallengesExpiredBefore } from '../db/challenges.js';
import { deleteGuardedTransactionsBefore } from '../db/guarded-transactions.js';
import { deleteIdempotencyKeysBefore } from '../db/idempotency-keys.js';
import { deleteSessionsExpiredBefore } from '../db/operator-sessions.js';
import { deleteTradebookChallengesExpiredBefore } from '../db/tradebook-challenges.js';
import { idempotencyLifetimeMs } from './claim-idempotency-key.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Forgets what no answer depends on any more: challenges and sessions expired a day ago, answers kept for a day, addresses quiet for two minutes. */
export async function sweepExpired(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction(async (tx) => {
    await deleteChallengesExpiredBefore(tx, new Date(now - dayMs));
    await deleteTradebookChallengesExpiredBefore(tx, new Date(now - dayMs));
    await deleteGuardedTransactionsBefore(tx, new Date(now - dayMs));
    await deleteIdempotencyKeysBefore(tx, new Date(now - idempotencyLifetimeMs));
    await deleteSessionsExpiredBefore(tx, new Date(now - dayMs));
    await deleteAttemptsBefore(tx, new Date(now - 2 * minuteMs));
  });
}
