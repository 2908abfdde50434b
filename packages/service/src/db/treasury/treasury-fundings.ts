import { sql } from 'drizzle-orm';
import { check, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import type { Tx } from '../client.js';
import { baseUnits, hasBytes, moment, txSignature } from '../columns.js';
import { treasuryRole } from './treasury-movements.js';

/**
 * Transfers into the treasury that `karat treasury fund` announced before they were sent: the movement of that transaction, as
 * far as it is of this amount, is then no difference between chain and records.
 */
export const treasuryFundings = pgTable(
  'treasury_fundings',
  {
    txSignature: txSignature('tx_signature').notNull(),
    role: treasuryRole().notNull(),
    /** Base units by which the account rises, or falls when negative. */
    amount: baseUnits().notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.txSignature, t.role] }),
    check('treasury_fundings_signature_length', hasBytes(t.txSignature, 64)),
    check('treasury_fundings_amount', sql`${t.amount} <> 0`),
  ],
);

export async function insertTreasuryFundings(
  tx: Tx,
  fundings: (typeof treasuryFundings.$inferInsert)[],
): Promise<void> {
  await tx.insert(treasuryFundings).values(fundings);
}
