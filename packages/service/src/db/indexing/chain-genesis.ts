import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, text } from 'drizzle-orm/pg-core';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { findProgress } from './indexer-progress.js';

/** One row: the chain that this database records, by the hash of its genesis. Written once. */
export const chainGenesis = pgTable(
  'chain_genesis',
  {
    only: boolean().primaryKey().default(true),
    hash: text().notNull(),
    notedAt: moment('noted_at').notNull(),
  },
  (t) => [check('chain_genesis_only', sql`${t.only}`)],
);

/** Returns the genesis hash of the chain that this database records; `hash`, which is kept then, when it has none yet. */
export async function keepGenesis(db: Db, hash: string): Promise<string> {
  const find = () => db.select({ hash: chainGenesis.hash }).from(chainGenesis);
  const [known] = await find();
  if (known) return known.hash;
  await db.insert(chainGenesis).values({ hash, notedAt: sql`clock_timestamp()` }).onConflictDoNothing();
  const [kept] = await find();
  return kept?.hash ?? hash;
}

/** Returns the genesis hash of the chain that this database records; undefined before it was ever on a chain. */
export async function findGenesis(db: Db | Tx): Promise<string | undefined> {
  const [known] = await db.select({ hash: chainGenesis.hash }).from(chainGenesis);
  return known?.hash;
}

/** Returns the slot up to which the chain is recorded; 0 for nothing. */
export async function findRecordedSlot(db: Db | Tx): Promise<bigint> {
  const slot = (await findProgress(db))?.slot ?? 0n;
  return slot > 0n ? slot : 0n;
}
