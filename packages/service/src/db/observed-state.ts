import { count, inArray, isNull, min, sql } from 'drizzle-orm';
import type { Db, Tx } from './client.js';
import { deadLetters } from './dead-letters.js';
import { advisoryLocks, isLockHeld } from './locks.js';
import { reconciliations } from './reconciliations.js';
import { redemptions } from './redemptions.js';

/** What waits for the vault's people, from the first step to the last. */
export const waitingStatuses = ['submitted', 'preparing', 'ready', 'cancellation_requested'] as const;
export type WaitingStatus = (typeof waitingStatuses)[number];

/** How many letters of each reason are open. */
export async function countOpenDeadLetters(db: Db | Tx): Promise<{ reason: string; count: number }[]> {
  return db
    .select({ reason: deadLetters.reason, count: count() })
    .from(deadLetters)
    .where(isNull(deadLetters.resolvedAt))
    .groupBy(deadLetters.reason);
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

/** Whether some process leads the keeping. */
export async function isKeepingLed(db: Db | Tx): Promise<boolean> {
  const [row] = await db.execute<{ led: boolean }>(sql`select ${isLockHeld(advisoryLocks.keeper)} as led`);
  return row?.led === true;
}

/** How chain and records compared the last time, base units; see `reconciliations`. */
export interface LastComparison {
  at: Date;
  goldDifference: bigint;
  usdcDifference: bigint;
}

/** Undefined before the first comparison. */
export async function findLastComparison(db: Db | Tx): Promise<LastComparison | undefined> {
  const { at, goldDifference, usdcDifference } = reconciliations;
  const [row] = await db.select({ at, goldDifference, usdcDifference }).from(reconciliations);
  return row;
}
