import { and, asc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';

/**
 * When the indexer looks next whether the transaction of a row is final. The epoch for a row that was never looked at, so
 * that rows which cannot be resolved never stand before new ones.
 */
export const finalityCheckAt = () => moment('finality_check_at').notNull().default(sql`'epoch'`);

/** A table whose rows are watched until their transactions are final. */
export type CheckedTable = PgTable &
  Record<'id' | 'txSignature' | 'slot' | 'finalized' | 'finalityCheckAt' | 'createdAt', AnyPgColumn>;

/** What distinguishes a row that has landed from what it may have become since. */
export interface LandedRow {
  id: string;
  txSignature: TxSignature;
}

/**
 * Returns rows that have landed, are not final and are due: those that wait longest first, new rows before all others.
 */
export async function findDueRows<Row>(
  db: Db | Tx,
  table: CheckedTable,
  { finalSlot, now, limit }: { finalSlot: bigint; now: Date; limit: number },
): Promise<Row[]> {
  const rows = await db
    .select()
    .from<PgTable>(table)
    .where(and(eq(table.finalized, false), lte(table.slot, finalSlot), lte(table.finalityCheckAt, now)))
    .orderBy(asc(table.finalityCheckAt), asc(table.slot))
    .limit(limit);
  return rows as Row[];
}

/**
 * Notes that the transactions of these rows can no longer be undone by the chain. What callers see does not change, so
 * `updated_at` stays.
 */
export async function markFinalized(tx: Tx, table: CheckedTable, rows: readonly LandedRow[]): Promise<void> {
  if (rows.length > 0) await tx.update(table).set({ finalized: true }).where(areThese(table, rows));
}

/** Puts off the next check of those rows that are not final yet. */
export async function postponeChecks(
  tx: Tx,
  table: CheckedTable,
  rows: readonly LandedRow[],
  until: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .update(table)
    .set({ finalityCheckAt: until })
    .where(and(areThese(table, rows), eq(table.finalized, false)));
}

/** Gives a row that was written again the place in lists that it had before. */
export async function restoreCreation(
  tx: Tx,
  table: CheckedTable,
  { id, createdAt }: { id: string; createdAt: Date },
): Promise<void> {
  await tx.update(table).set({ createdAt }).where(eq(table.id, id));
}

function areThese(table: CheckedTable, rows: readonly LandedRow[]): SQL | undefined {
  const [ids, signatures] = [rows.map(({ id }) => id), rows.map(({ txSignature }) => txSignature)];
  return and(inArray(table.id, ids), inArray(table.txSignature, signatures));
}
