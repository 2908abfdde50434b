import { and, count, eq, gt, inArray, isNotNull, isNull, min, not, sql } from 'drizzle-orm';
import { type SettlementKind, settlementOf } from '../../domain/redemption.js';
import { approvals } from '../approvals/approvals.js';
import { operatorTransactions } from '../approvals/operator-transactions.js';
import type { Db, Tx } from '../client.js';
import { advisoryLocks, isLockHeld } from '../locks.js';
import { orders } from '../orders/orders.js';
import { isSettled, redemptions } from '../redemptions/redemptions.js';
import { trades } from '../trades/trades.js';
import { deadLetters } from './dead-letters.js';

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

/** The kinds of records that are watched until they are final. */
export type WatchedRecord = 'trade' | 'redemption' | 'order' | 'operator_transaction';

export interface OldestUnfinalized {
  kind: WatchedRecord;
  /** When the oldest was written; redemptions and orders are written before they land, by a minute or two. */
  since: Date;
}

/**
 * The oldest record of each kind whose transaction has landed and is not known to be final, without those of which a dead
 * letter says that the chain carries them otherwise; a kind without any is left out.
 */
export async function findOldestUnfinalized(db: Db | Tx): Promise<OldestUnfinalized[]> {
  const oldest = async (
    kind: WatchedRecord,
    table: typeof trades | typeof redemptions | typeof orders | typeof operatorTransactions,
  ) => {
    const [row] = await db
      .select({ since: min(table.createdAt) })
      .from(table as typeof trades)
      .where(
        and(
          isNotNull(table.slot),
          eq(table.finalized, false),
          sql`not exists (
            select from ${deadLetters} where ${deadLetters.signature} = ${table.txSignature}
              and ${deadLetters.reason} in ('vanished', 'conflicting_record'))`,
        ),
      );
    return row?.since ? [{ kind, since: row.since }] : [];
  };
  const found = await Promise.all([
    oldest('trade', trades),
    oldest('redemption', redemptions),
    oldest('order', orders),
    oldest('operator_transaction', operatorTransactions),
  ]);
  return found.flat();
}

export interface WaitingRedemptions {
  status: WaitingStatus;
  count: number;
  /** When the oldest of them was quoted. */
  since: Date;
}

/** The redemptions that wait in each status; a status in which none waits is left out. */
export async function countWaitingRedemptions(db: Db | Tx): Promise<WaitingRedemptions[]> {
  const rows = await db
    .select({ status: redemptions.status, count: count(), since: min(redemptions.createdAt) })
    .from(redemptions)
    .where(inArray(redemptions.status, [...waitingStatuses]))
    .groupBy(redemptions.status);
  return rows as WaitingRedemptions[];
}

/** Redemptions that have ended while their tokens wait in escrow. */
export interface UnsettledRedemptions {
  kind: SettlementKind;
  count: number;
  /** When the one that waits longest ended. */
  since: Date;
}

/** The redemptions whose tokens are not refunded or burned yet; a kind of which none waits is left out. */
export async function countUnsettledRedemptions(db: Db | Tx): Promise<UnsettledRedemptions[]> {
  const rows = await db
    .select({ status: redemptions.status, count: count(), since: min(redemptions.updatedAt) })
    .from(redemptions)
    .where(and(inArray(redemptions.status, ['cancelled', 'collected']), not(isSettled)))
    .groupBy(redemptions.status);
  return rows.map(({ status, ...row }) => ({
    ...row,
    kind: settlementOf(status) as SettlementKind,
    since: row.since as Date,
  }));
}

export interface PendingApprovals {
  count: number;
  /** When the oldest was asked for; null when none waits. */
  since: Date | null;
}

/** The approvals that a second person can still give. */
export async function countPendingApprovals(db: Db | Tx, now: Date): Promise<PendingApprovals> {
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
