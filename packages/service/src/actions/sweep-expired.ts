import type { Context } from '../context.js';
import { deleteGuardedTransactionsBefore } from '../db/approvals/guarded-transactions.js';
import { deleteLapsedEventStreams } from '../db/events/event-streams.js';
import { idempotencyKeys } from '../db/idempotency-keys.js';
import { challenges } from '../db/keys/challenges.js';
import { authAttempts } from '../db/limits/auth-attempts.js';
import { factorChallenges } from '../db/operators/factor-challenges.js';
import { operatorNetworks } from '../db/operators/operator-networks.js';
import { operatorSessions } from '../db/operators/operator-sessions.js';
import { deleteLapsedOperatorStreams } from '../db/operators/operator-streams.js';
import { deleteFailuresBefore } from '../db/operators/sign-in-attempts.js';
import { deleteBefore } from '../db/rows.js';
import { idempotencyLifetimeMs } from './claim-idempotency-key.js';
import { failuresKeptMs, networkKnownMs } from './operators/limit-sign-in.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How long an expired challenge is reported as expired; after that it is unknown. */
const expiredChallengesMs = 30 * dayMs;

/**
 * Deletes what no response depends on any more: challenges that expired 30 days ago, sessions that expired a day ago, challenges of
 * second factors,
 * responses kept for a day, addresses quiet for two minutes, failed sign-ins of a day ago, networks that no operator
 * signed in from for 90 days, and streams of events and changes whose process was killed.
 */
export async function sweepExpired(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction(async (tx) => {
    await deleteBefore(tx, challenges.expiresAt, new Date(now - expiredChallengesMs));
    await deleteGuardedTransactionsBefore(tx, new Date(now - dayMs));
    await deleteBefore(tx, idempotencyKeys.createdAt, new Date(now - idempotencyLifetimeMs));
    await deleteBefore(tx, operatorSessions.expiresAt, new Date(now - dayMs));
    await deleteBefore(tx, factorChallenges.expiresAt, new Date(now));
    await deleteFailuresBefore(tx, new Date(now - failuresKeptMs));
    await deleteBefore(tx, operatorNetworks.lastAt, new Date(now - networkKnownMs));
    await deleteBefore(tx, authAttempts.lastAt, new Date(now - 2 * minuteMs));
    await deleteLapsedEventStreams(tx);
    await deleteLapsedOperatorStreams(tx);
  });
}
