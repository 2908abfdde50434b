import { sql } from 'drizzle-orm';
import { boolean, pgTable, text } from 'drizzle-orm/pg-core';
import type { Address, TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64, moment } from '../columns.js';
import { runPrepared } from '../prepared.js';
import { asRows } from '../rows.js';

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

/**
 * Moves cursors, one of each address; never back, so that an indexer that lost its leadership in the middle can do no harm.
 */
export async function advanceCursors(tx: Tx, cursors: readonly Cursor[], at: Date): Promise<void> {
  if (cursors.length === 0) return;
  const { columns, rows } = asRows(
    indexerCursors,
    cursors.map(({ address, signature, slot, treasury }) => ({
      ...{ address, signature, slot, treasury },
      updatedAt: at,
    })),
  );
  await runPrepared(
    tx,
    sql`
    insert into ${indexerCursors} as kept (${columns}) select * from ${rows}
    on conflict (address) do update set signature = excluded.signature, slot = excluded.slot,
      treasury = excluded.treasury, updated_at = excluded.updated_at
    where kept.slot <= excluded.slot`,
  );
}
