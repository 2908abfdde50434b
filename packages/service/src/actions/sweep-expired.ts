import type { Context } from '../context.js';
import { deleteGuardedTransactionsBefore } from '../db/approvals/guarded-transactions.js';
import type { Tx } from '../db/client.js';
import { deleteLapsedEventStreams } from '../db/events/event-streams.js';
import { idempotencyKeys } from '../db/idempotency-keys.js';
import { challenges } from '../db/keys/challenges.js';
import { budgets } from '../db/limits/budgets.js';
import { feeSpending } from '../db/limits/fee-spending.js';
import { velocityReservations } from '../db/limits/velocity-reservations.js';
import { deleteLapsedOperatorStreams } from '../db/operators/operator-streams.js';
import { factorChallenges } from '../db/people/factor-challenges.js';
import { knownNetworks } from '../db/people/known-networks.js';
import { sessions } from '../db/people/sessions.js';
import { signInAttempts } from '../db/people/sign-in-attempts.js';
import { deleteLapsedQuotes } from '../db/redemptions/redemptions.js';
import { deleteSomeBefore } from '../db/rows.js';
import { deleteSubmissionsBefore } from '../db/trades/submissions.js';
import { idempotencyLifetimeMs } from '../domain/idempotency.js';
import { budgetWindowMs, failuresKeptMs, feeBudget, networkKnownMs } from '../domain/limits.js';
import { inBatches } from './in-batches.js';

const dayMs = 24 * 60 * 60_000;
/** How long an expired challenge is reported as expired; after that it is unknown. */
const expiredChallengesMs = 30 * dayMs;
/** How long quotes of redemptions that lapsed, and trades that were sent and have ended, can still be looked up. */
const endedMs = 7 * dayMs;

/**
 * Deletes what no response depends on any more: challenges that expired 30 days ago, quotes of redemptions that lapsed and
 * trades that were sent and ended 7 days ago, sessions that expired a day ago, challenges of second factors, responses kept
 * for a day, budgets not used for two minutes, what was paid for partners in hours that are over, failed sign-ins of a day
 * ago, networks that no operator signed in from for 90 days, and streams of events and changes whose process was killed.
 * Rows that are in use stay until the next time. Rejects when the database fails, and when `signal` aborts between two
 * batches.
 */
export async function sweepExpired(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  const sweep = (work: (tx: Tx, limit: number) => Promise<number>) =>
    inBatches((limit) => ctx.db.transaction((tx) => work(tx, limit)), signal);
  const dayAgo = new Date(now - dayMs);
  await sweep((tx, limit) => deleteGuardedTransactionsBefore(tx, dayAgo, limit));
  const ended = new Date(now - endedMs);
  await sweep((tx, limit) => deleteSubmissionsBefore(tx, ended, limit));
  await sweep((tx, limit) => deleteLapsedQuotes(tx, { before: ended, limit }));
  for (const [column, ageMs] of [
    [challenges.expiresAt, expiredChallengesMs],
    [idempotencyKeys.createdAt, idempotencyLifetimeMs],
    [sessions.expiresAt, dayMs],
    [factorChallenges.expiresAt, 0],
    [signInAttempts.lastAt, failuresKeptMs],
    [knownNetworks.lastAt, networkKnownMs],
    [budgets.lastAt, 2 * budgetWindowMs],
    [feeSpending.hour, 2 * feeBudget.windowMs],
    [velocityReservations.lapsesAt, 2 * budgetWindowMs],
  ] as const)
    await sweep((tx, limit) => deleteSomeBefore(tx, column, new Date(now - ageMs), limit));
  await ctx.db.transaction(async (tx) => {
    await deleteLapsedEventStreams(tx);
    await deleteLapsedOperatorStreams(tx);
  });
}
