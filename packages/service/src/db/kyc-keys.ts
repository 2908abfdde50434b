import { desc, sql } from 'drizzle-orm';
import { check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';
import { bytes, moment } from './columns.js';
import { advisoryLocks } from './locks.js';

/** The data keys of KYC records, each wrapped by a key that is not in the database. The newest one is used for new records. */
export const kycKeys = pgTable(
  'kyc_keys',
  {
    id: integer().primaryKey(),
    /** Name of the key that wrapped it. */
    wrapper: text().notNull(),
    wrapped: bytes('wrapped').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [check('kyc_keys_id', sql`${t.id} > 0`)],
);

/** A data key as it is stored. */
export type KycKey = typeof kycKeys.$inferSelect;

/** Returns all data keys, the newest first. */
export const findKycKeys = (db: Db | Tx): Promise<KycKey[]> =>
  db.select().from(kycKeys).orderBy(desc(kycKeys.id));

/** Returns the newest data key, which is not deleted before the transaction ends; undefined if there is none. */
export async function holdNewestKycKey(tx: Tx): Promise<KycKey | undefined> {
  const [newest] = await tx.select().from(kycKeys).orderBy(desc(kycKeys.id)).limit(1).for('key share');
  return newest;
}

/** Makes all others who want to add a data key wait until the transaction ends. */
export async function lockKycKeys(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${advisoryLocks.kycKeys}::bigint)`);
}

export async function insertKycKey(tx: Tx, key: KycKey): Promise<void> {
  await tx.insert(kycKeys).values(key);
}
