import { sql } from 'drizzle-orm';
import { check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Tx } from './client.js';
import { baseUnits, moment } from './columns.js';
import { houseRole } from './house-movements.js';

/**
 * What the owner of the service announced that it puts into the treasury, written before it is sent: the movement of that
 * transaction, as far as it is of this amount, is then no difference between chain and records.
 */
export const treasuryFundings = pgTable(
  'treasury_fundings',
  {
    txSignature: text('tx_signature').notNull(),
    /** The account that rises, or that of fees or of escrow, where the treasury is filled from it. */
    role: houseRole().notNull(),
    /** Base units; negative for the accounts of fees and of escrow. */
    amount: baseUnits().notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.txSignature, t.role] }),
    check(
      'treasury_fundings_way',
      sql`case when ${t.role} in ('fee_usdc', 'escrow_gold') then ${t.amount} < 0 else ${t.amount} > 0 end`,
    ),
  ],
);

export async function insertTreasuryFundings(
  tx: Tx,
  fundings: (typeof treasuryFundings.$inferInsert)[],
): Promise<void> {
  await tx.insert(treasuryFundings).values(fundings);
}
