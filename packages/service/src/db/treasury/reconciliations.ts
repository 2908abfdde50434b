import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable } from 'drizzle-orm/pg-core';
import type { Db, Tx } from '../client.js';
import { baseUnits, int64, moment } from '../columns.js';

/** One row: how chain and records compared when that was last looked at. */
export const reconciliations = pgTable(
  'reconciliations',
  {
    only: boolean().primaryKey().default(true),
    /** The finalized slot as of which everything was compared. */
    slot: int64().notNull(),
    at: moment('at').notNull(),
    /** What the chain holds beyond what records and persons account for, base units; negative: less. */
    goldDifference: baseUnits('gold_difference').notNull(),
    usdcDifference: baseUnits('usdc_difference').notNull(),
    /** Differences that are open. */
    differences: integer().notNull(),
  },
  (t) => [check('reconciliations_only', sql`${t.only}`)],
);

export type Reconciliation = Omit<typeof reconciliations.$inferSelect, 'only'>;

/** Returns the last comparison; undefined before the first. */
export async function findReconciliation(db: Db | Tx): Promise<Reconciliation | undefined> {
  const { slot, at, goldDifference, usdcDifference, differences } = reconciliations;
  const columns = { slot, at, goldDifference, usdcDifference, differences };
  const [row] = await db.select(columns).from(reconciliations);
  return row;
}

/** Replaces the last comparison; an older one replaces nothing. */
export async function saveReconciliation(tx: Tx, row: Reconciliation): Promise<void> {
  await tx
    .insert(reconciliations)
    .values(row)
    .onConflictDoUpdate({
      target: reconciliations.only,
      set: row,
      setWhere: sql`${reconciliations.slot} <= ${row.slot.toString()}::bigint`,
    });
}

/** One row: how far records were compared, chunk by chunk. */
export const reconciliationProgress = pgTable(
  'reconciliation_progress',
  {
    only: boolean().primaryKey().default(true),
    /** Everything that is new was compared up to this slot. */
    comparedSlot: int64('compared_slot').notNull(),
    /** Up to where the last comparison goes, or went. */
    towardsSlot: int64('towards_slot').notNull(),
    /** Old records are compared again and again: up to this slot in the present pass, -1 before the first chunk of one. */
    reviewedSlot: int64('reviewed_slot').notNull(),
  },
  (t) => [check('reconciliation_progress_only', sql`${t.only}`)],
);

export type ReconciliationProgress = Omit<typeof reconciliationProgress.$inferSelect, 'only'>;

/** Returns how far records were compared; undefined before the first chunk. */
export async function findReconciliationProgress(db: Db | Tx): Promise<ReconciliationProgress | undefined> {
  const { comparedSlot, towardsSlot, reviewedSlot } = reconciliationProgress;
  const [row] = await db.select({ comparedSlot, towardsSlot, reviewedSlot }).from(reconciliationProgress);
  return row;
}

/** Keeps how far records were compared. */
export async function saveReconciliationProgress(tx: Tx, row: ReconciliationProgress): Promise<void> {
  await tx
    .insert(reconciliationProgress)
    .values(row)
    .onConflictDoUpdate({ target: reconciliationProgress.only, set: row });
}

/**
 * Returns where a chunk of about `rows` transactions or events ends that begins above the slot `from`: at `to`, or at the last
 * slot that is wholly in it. At least one slot.
 */
export async function findChunkEnd(
  db: Db | Tx,
  { from, to, rows }: { from: bigint; to: bigint; rows: number },
): Promise<bigint> {
  const range = sql`slot > ${from.toString()}::bigint and slot <= ${to.toString()}::bigint`;
  const found = await db.execute<{ slot: string }>(sql`
    select slot::text as slot from chain_effects where ${range} order by slot offset ${rows} limit 1`);
  const next = found[0]?.slot;
  if (next === undefined) return to;
  // The slot of the first row too many is left out, unless it is all that there is.
  const end = BigInt(next) - 1n;
  return end > from ? end : BigInt(next);
}
