import { and, count, eq, gt, inArray, isNull, min, not, sql } from 'drizzle-orm';
import { settlementOf } from '../../domain/redemption.js';
import { approvals } from '../approvals/approvals.js';
import type { Db, Tx } from '../client.js';
import { advisoryLocks, isLockHeld } from '../locks.js';
import { isBurnAnnounced } from '../redemptions/burns.js';
import { redemptions } from '../redemptions/redemptions.js';
import { deadLetters } from './dead-letters.js';
import { unfinalized, type WatchedRecord } from './finality.js';

/** What waits for the vault's people, from the first step to the last. */
export const waitingStatuses = ['submitted', 'preparing', 'ready', 'cancellation_requested'] as const;
export type WaitingStatus = (typeof waitingStatuses)[number];

export async function countOpenDeadLetters(db: Db | Tx): Promise<{ reason: string; count: number }[]> {
  return db
    .select({ reason: deadLetters.reason, count: count() })
    .from(deadLetters)
    .where(isNull(deadLetters.resolvedAt))
    .groupBy(deadLetters.reason);
}

/**
 * The oldest record of each kind whose transaction has landed, at `since`, and is not known to be final, without those of
 * which a dead letter shows that they are different on chain; a kind without any is left out.
 */
export async function findOldestUnfinalized(db: Db | Tx): Promise<{ kind: WatchedRecord; since: Date }[]> {
  const rows = await db
    .select({ kind: unfinalized.kind, since: min(unfinalized.landedAt) })
    .from(unfinalized)
    .where(
      sql`not exists (
        select from ${deadLetters} where ${deadLetters.signature} = ${unfinalized.txSignature}
          and ${deadLetters.reason} in ('vanished', 'conflicting_record'))`,
    )
    .groupBy(unfinalized.kind);
  return rows.flatMap(({ kind, since }) => (since ? [{ kind, since }] : []));
}

/** The redemptions that wait in each status, the oldest quoted at `since`; a status in which none waits is left out. */
export async function countWaitingRedemptions(db: Db | Tx) {
  const rows = await db
    .select({ status: redemptions.status, count: count(), since: min(redemptions.createdAt) })
    .from(redemptions)
    .where(inArray(redemptions.status, [...waitingStatuses]))
    .groupBy(redemptions.status);
  return rows as { status: WaitingStatus; count: number; since: Date }[];
}

/**
 * The redemptions whose tokens are not refunded yet, and whose burn is not announced, the first ended at `since`; a kind of which
 * none waits is left out.
 */
export async function countUnsettledRedemptions(db: Db | Tx, now: Date) {
  const rows = await db
    .select({ status: redemptions.status, count: count(), since: min(redemptions.updatedAt) })
    .from(redemptions)
    .where(
      and(
        inArray(redemptions.status, ['cancelled', 'collected']),
        not(redemptions.settled),
        not(isBurnAnnounced(db, now)),
      ),
    )
    .groupBy(redemptions.status);
  return rows.flatMap(({ status, since, ...row }) => {
    const kind = settlementOf(status);
    return kind && since ? [{ ...row, kind, since }] : [];
  });
}

/** The approvals that a second person can still give; `since` is when the oldest was requested, null when none waits. */
export async function countPendingApprovals(db: Db | Tx, now: Date) {
  const [row] = await db
    .select({ count: count(), since: min(approvals.createdAt) })
    .from(approvals)
    .where(and(eq(approvals.status, 'pending'), gt(approvals.expiresAt, now)));
  return row ?? { count: 0, since: null };
}

export async function isKeepingLed(db: Db | Tx): Promise<boolean> {
  const [row] = await db.execute<{ led: boolean }>(sql`select ${isLockHeld(advisoryLocks.keeper)} as led`);
  return row?.led === true;
}
