import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';
import { baseUnits, moment } from './columns.js';

/** One row: how chain and records compared when that was last looked at. */
export const reconciliations = pgTable(
  'reconciliations',
  {
    only: boolean().primaryKey().default(true),
    /** The finalized slot as of which everything was compared. */
    slot: baseUnits().notNull(),
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

/** The last comparison; undefined before the first. */
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
      setWhere: sql`${reconciliations.slot} <= ${row.slot.toString()}::numeric`,
    });
}
