import { sql } from 'drizzle-orm';
import { check, pgTable, text } from 'drizzle-orm/pg-core';
import type { TxSignature, WalletAddress } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64 } from '../columns.js';

/** How far what the service signed was compared with what is recorded, by the key that signed. */
export const signerChecks = pgTable(
  'signer_checks',
  {
    signer: text().primaryKey().$type<WalletAddress>(),
    /** Everything up to this slot was compared; -1 for nothing. */
    checkedSlot: int64('checked_slot').notNull(),
    /** Up to which slot the comparison under way goes; null while there is none. */
    toSlot: int64('to_slot'),
    /** The last line that it compared, from the newest down; null before the first. */
    beforeSignature: text('before_signature').$type<TxSignature>(),
    beforeSlot: int64('before_slot'),
  },
  (t) => [check('signer_checks_before', sql`(${t.beforeSignature} is null) = (${t.beforeSlot} is null)`)],
);

export type SignerCheck = typeof signerChecks.$inferSelect;

export async function findSignerChecks(db: Db | Tx): Promise<Map<string, SignerCheck>> {
  const rows = await db.select().from(signerChecks);
  return new Map(rows.map((row) => [row.signer, row]));
}

export async function saveSignerChecks(tx: Tx, rows: SignerCheck[]): Promise<void> {
  for (const row of rows) {
    await tx.insert(signerChecks).values(row).onConflictDoUpdate({ target: signerChecks.signer, set: row });
  }
}
