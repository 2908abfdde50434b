import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';
import { moment } from './columns.js';

/**
 * When the indexer looks next whether the transaction of a row is final. The epoch for a row that was never looked at, so
 * that rows which cannot be resolved never stand before new ones.
 */
export const finalityCheckAt = () => moment('finality_check_at').notNull().default(sql`'epoch'`);

/** Which rows are to be looked at. */
export interface DueChecks {
  /** The newest finalized slot: what landed above it cannot be final yet. */
  finalSlot: bigint;
  now: Date;
  limit: number;
}

interface CheckedColumns {
  slot: AnyPgColumn;
  finalized: AnyPgColumn;
  finalityCheckAt: AnyPgColumn;
}

/** A table of records whose transactions are watched until they are final. */
type WatchedTable = PgTable & CheckedColumns & { id: AnyPgColumn };

/** Rows that have landed, are not final and are due: those that wait longest first, new ones before all others. */
export async function findDue<Table extends WatchedTable>(
  db: Db | Tx,
  table: Table,
  { finalSlot, now, limit }: DueChecks,
): Promise<(Table['$inferSelect'] & Landed)[]> {
  const { slot, finalized, finalityCheckAt } = table;
  const found = await db
    .select()
    .from(table as PgTable)
    .where(and(eq(finalized, false), lte(slot, finalSlot), lte(finalityCheckAt, now)))
    .orderBy(asc(finalityCheckAt), asc(slot))
    .limit(limit);
  return found as (Table['$inferSelect'] & Landed)[];
}

/** What every record has whose transaction has landed. */
interface Landed {
  txSignature: string;
  slot: bigint;
}

/** Notes that the transactions of these rows are final. What callers see does not change, so `updated_at` stays. */
export async function markFinalized(tx: Tx, table: WatchedTable, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.update(table).set({ finalized: true }).where(inArray(table.id, ids));
}

/** Puts off the next check of those rows that are not final yet. */
export async function postponeChecks(tx: Tx, table: WatchedTable, ids: string[], until: Date): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(table)
    .set({ finalityCheckAt: until })
    .where(and(inArray(table.id, ids), eq(table.finalized, false)));
}
