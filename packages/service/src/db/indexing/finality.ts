import { and, asc, desc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { signatureToBytes, type TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';

/**
 * When the indexer looks next whether the transaction of a row is final. The epoch for a row that was never looked at, so
 * that rows which cannot be resolved never stand before new ones.
 */
export const finalityCheckAt = () => moment('finality_check_at').notNull().default(sql`'epoch'`);

/** A table whose rows are watched until their transactions are final. */
export type CheckedTable = PgTable &
  Record<
    'id' | 'txSignature' | 'slot' | 'status' | 'finalized' | 'finalityCheckAt' | 'createdAt',
    AnyPgColumn
  >;

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

/** Returns a row that has landed and was never looked at, of those up to a slot the one in the highest; undefined for none. */
export async function findHighestNewRow<Row extends { slot: bigint }>(
  db: Db | Tx,
  table: CheckedTable,
  slot: bigint,
): Promise<Row | undefined> {
  const isNew = eq(table.finalityCheckAt, new Date(0));
  const [row] = await db
    .select()
    .from<PgTable>(table)
    .where(and(eq(table.finalized, false), isNew, lte(table.slot, slot)))
    .orderBy(desc(table.finalityCheckAt), desc(table.slot))
    .limit(1);
  return row as Row | undefined;
}

/** A transaction of the finalized chain. */
export interface FinalTransaction {
  signature: TxSignature;
  slot: bigint;
  failed: boolean;
}

/**
 * Notes as `markFinalized` does that rows are final: those of transactions that the finalized chain has in the slot and with
 * the outcome that were recorded. Returns how many were not final before.
 */
export async function finalizeListed(
  tx: Tx,
  table: CheckedTable,
  transactions: readonly FinalTransaction[],
): Promise<number> {
  const signatures = sql.param(transactions.map(({ signature }) => signatureToBytes(signature)));
  const slots = sql.param(transactions.map(({ slot }) => slot.toString()));
  const failures = sql.param(transactions.map(({ failed }) => failed));
  const { count } = await tx
    .update(table)
    .set({ finalized: true })
    .from(
      sql`unnest(${signatures}::bytea[], ${slots}::bigint[], ${failures}::boolean[]) as listed (signature, slot, failed)`,
    )
    .where(
      and(
        eq(table.txSignature, sql`listed.signature`),
        eq(table.slot, sql`listed.slot`),
        sql`(${table.status} = 'failed') = listed.failed`,
        eq(table.finalized, false),
      ),
    );
  return count;
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
