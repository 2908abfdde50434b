import { sql } from 'drizzle-orm';
import { check, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { TxSignature } from '../../domain/solana.js';
import type { Tx } from '../client.js';
import { baseUnits, moment } from '../columns.js';
import { treasuryRole } from './treasury-movements.js';

/**
 * Transfers into the treasury that `karat treasury fund` announced before it sent them: the movement of that transaction, as
 * far as it is of this amount, is then no difference between chain and records.
 */
export const treasuryFundings = pgTable(
  'treasury_fundings',
  {
    txSignature: text('tx_signature').notNull().$type<TxSignature>(),
    role: treasuryRole().notNull(),
    /** Base units by which the account rises, or falls when negative. */
    amount: baseUnits().notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.txSignature, t.role] }),
    check('treasury_fundings_amount', sql`${t.amount} <> 0`),
  ],
);

export async function insertTreasuryFundings(
  tx: Tx,
  fundings: (typeof treasuryFundings.$inferInsert)[],
): Promise<void> {
  await tx.insert(treasuryFundings).values(fundings);
}
