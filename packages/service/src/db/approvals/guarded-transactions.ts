import { eq, sql } from 'drizzle-orm';
import { check, index, pgTable, uuid } from 'drizzle-orm/pg-core';
import { type RedemptionId, type TradeId, type Uuid, uuidOf } from '../../domain/ids.js';
import type { TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { hasBytes, moment, txSignature } from '../columns.js';
import { deleteSomeBefore, insertNew } from '../rows.js';

/**
 * Transactions of quotes that the service signed a second time, with the guards that a wallet added: one a quote at
 * most, whichever process signs it. No record of a trade or of a redemption.
 */
export const guardedTransactions = pgTable(
  'guarded_transactions',
  {
    /** UUID of a trade or of a redemption. */
    quoteId: uuid('quote_id').primaryKey().$type<Uuid>(),
    /** Signature of the service over the message with the guards. */
    txSignature: txSignature('tx_signature').notNull().unique('guarded_transactions_tx_signature'),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    index('guarded_transactions_created').on(t.createdAt),
    check('guarded_transactions_signature_length', hasBytes(t.txSignature, 64)),
  ],
);

/** Returns the signature of the guarded transaction of a quote, if there is one. */
export async function findGuardedSignature(
  db: Db | Tx,
  quoteId: TradeId | RedemptionId,
): Promise<string | undefined> {
  const [found] = await db
    .select({ txSignature: guardedTransactions.txSignature })
    .from(guardedTransactions)
    .where(eq(guardedTransactions.quoteId, uuidOf(quoteId)));
  return found?.txSignature;
}

/** Notes the one guarded transaction of a quote; false when there is one already, be it the same. */
export async function insertGuardedTransaction(
  tx: Tx,
  guarded: { quoteId: TradeId | RedemptionId; txSignature: TxSignature },
  at: Date,
): Promise<boolean> {
  // Of either index: twins that race meet in both, and the one that is not named would refuse the second with an error.
  return insertNew(tx, guardedTransactions, {
    txSignature: guarded.txSignature,
    quoteId: uuidOf(guarded.quoteId),
    createdAt: at,
  });
}

/**
 * Deletes at most `limit` of those signed before a time, except of redemptions whose outcome is unknown, which still need
 * them. Returns how many.
 */
export async function deleteGuardedTransactionsBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const ended = sql`not exists (select from redemptions r
    where r.id = guarded_transactions.quote_id and r.status = 'quoted')`;
  return deleteSomeBefore(tx, guardedTransactions.createdAt, before, limit, ended);
}
