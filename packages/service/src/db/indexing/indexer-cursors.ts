import { sql } from 'drizzle-orm';
import { boolean, pgTable, text } from 'drizzle-orm/pg-core';
import type { Address, TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64, moment } from '../columns.js';

/**
 * How far the indexer has come with each address that it follows; moves in the transaction of its effects. An empty
 * signature: followed, nothing handled yet.
 */
export const indexerCursors = pgTable('indexer_cursors', {
  address: text().primaryKey().$type<Address>(),
  signature: text().notNull().$type<TxSignature | ''>(),
  slot: int64().notNull(),
  /** A treasury token account, followed for what it receives: its signatures do not count as the service's. */
  treasury: boolean().notNull().default(false),
  updatedAt: moment('updated_at').notNull(),
});

/** The newest transaction of an address up to which everything was handled. */
export type Cursor = Omit<typeof indexerCursors.$inferSelect, 'updatedAt'>;

/** Returns every address that is followed. */
export async function findCursors(db: Db | Tx): Promise<Cursor[]> {
  const { address, signature, slot, treasury } = indexerCursors;
  return db.select({ address, signature, slot, treasury }).from(indexerCursors).orderBy(address);
}

/** Begins to follow an address from its first transaction; nothing when it is followed already. */
export async function followAddress(tx: Tx, address: Address, at: Date): Promise<void> {
  await tx
    .insert(indexerCursors)
    .values({ address, signature: '', slot: 0n, updatedAt: at })
    .onConflictDoNothing();
}

/** Moves a cursor; never back, so that an indexer that lost its leadership in the middle can do no harm. */
export async function advanceCursor(tx: Tx, cursor: Cursor, at: Date): Promise<void> {
  await tx
    .insert(indexerCursors)
    .values({ ...cursor, updatedAt: at })
    .onConflictDoUpdate({
      target: indexerCursors.address,
      set: { signature: cursor.signature, slot: cursor.slot, treasury: cursor.treasury, updatedAt: at },
      setWhere: sql`${indexerCursors.slot} <= ${cursor.slot.toString()}::bigint`,
    });
}
