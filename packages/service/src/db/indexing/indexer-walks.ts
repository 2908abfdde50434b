import { and, asc, eq } from 'drizzle-orm';
import { boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Address, TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64 } from '../columns.js';

/**
 * How far the indexer has listed back a history that is too long to be listed at once: the oldest line of each page, so
 * that a process that dies in the middle goes on from there. Gone once everything between is recorded.
 */
export const indexerWalks = pgTable(
  'indexer_walks',
  {
    address: text().notNull().$type<Address>(),
    /** From the newest page, 0, to the oldest. */
    page: integer().notNull(),
    signature: text().notNull().$type<TxSignature>(),
    slot: int64().notNull(),
    /** Nothing that is wanted lies behind this line. */
    last: boolean().notNull(),
  },
  (t) => [primaryKey({ columns: [t.address, t.page] })],
);

export type WalkStep = typeof indexerWalks.$inferSelect;

/** Returns the steps of every address, newest first. */
export async function findWalkSteps(db: Db | Tx): Promise<WalkStep[]> {
  return db.select().from(indexerWalks).orderBy(indexerWalks.address, asc(indexerWalks.page));
}

/** Keeps steps; what was kept of the same pages is replaced. */
export async function keepWalkSteps(tx: Tx, steps: WalkStep[]): Promise<void> {
  for (const step of steps) {
    const { signature, slot, last } = step;
    await tx
      .insert(indexerWalks)
      .values(step)
      .onConflictDoUpdate({
        target: [indexerWalks.address, indexerWalks.page],
        set: { signature, slot, last },
      });
  }
}

/** Notes that more may lie behind the last step of an address. */
export async function reopenWalk(tx: Tx, address: Address): Promise<void> {
  await tx
    .update(indexerWalks)
    .set({ last: false })
    .where(and(eq(indexerWalks.address, address), eq(indexerWalks.last, true)));
}

export async function forgetWalk(tx: Tx, address: Address): Promise<void> {
  await tx.delete(indexerWalks).where(eq(indexerWalks.address, address));
}
