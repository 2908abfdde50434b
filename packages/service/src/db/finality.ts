import { and, asc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, AnyPgTable } from 'drizzle-orm/pg-core';
import type { Tx } from './client.js';
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

/** Condition: the row has landed, is not final, and is due. */
export function isCheckDue(columns: CheckedColumns, { finalSlot, now }: DueChecks): SQL | undefined {
  return and(eq(columns.finalized, false), lte(columns.slot, finalSlot), lte(columns.finalityCheckAt, now));
}

/** The order of the checks: those that wait longest first, new rows before all others. */
export function byCheck(columns: CheckedColumns): SQL[] {
  return [asc(columns.finalityCheckAt), asc(columns.slot)];
}

/** Puts off the next check of those rows that are not final yet. */
export async function postponeChecks(
  tx: Tx,
  table: AnyPgTable & { id: AnyPgColumn; finalized: AnyPgColumn },
  ids: string[],
  until: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(table)
    .set({ finalityCheckAt: until })
    .where(and(inArray(table.id, ids), eq(table.finalized, false)));
}
