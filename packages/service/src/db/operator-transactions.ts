import { sql } from 'drizzle-orm';
import { boolean, check, index, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { RedemptionId, Uuid } from '../domain/ids.js';
import type { Tx } from './client.js';
import { baseUnits, moment } from './columns.js';
import { finalityCheckAt } from './finality.js';
import { insertNew } from './insert-new.js';
import { operatorId } from './operators.js';
import { partnerId } from './partners.js';
import { redemptions } from './redemptions.js';

export const operatorTransactionKind = pgEnum('operator_transaction_kind', [
  'refund',
  'burn',
  'create_integrator',
  'update_integrator',
  'update_executives',
  'propose_authority',
  'cancel_authority',
  'apply_authority',
  'pause',
  'resume',
  'set_market',
]);
export const operatorTransactionStatus = pgEnum('operator_transaction_status', [
  'pending',
  'confirmed',
  'failed',
  'expired',
]);

/**
 * Transactions by which operators move value or power on chain. A row is written before its transaction is sent or
 * handed out, and moved when the chain has it or can no longer take it, so that nothing is ever done twice.
 */
export const operatorTransactions = pgTable(
  'operator_transactions',
  {
    /** Of a refund or burn also the reference that the program echoes in its event. */
    id: uuid().primaryKey().$type<Uuid>(),
    kind: operatorTransactionKind().notNull(),
    status: operatorTransactionStatus().notNull().default('pending'),
    redemptionId: text('redemption_id')
      .references(() => redemptions.id)
      .$type<RedemptionId>(),
    partnerId: partnerId(),
    /** GOLD in base units, of refunds and burns. */
    amount: baseUnits(),
    /** Null for what was handed out unsigned, until the chain shows it. */
    txSignature: text('tx_signature'),
    /** The transaction cannot land above this block height. */
    lastValidBlockHeight: baseUnits('last_valid_block_height').notNull(),
    slot: baseUnits(),
    /** Whether what landed was seen finalized; until then it is looked at again. */
    finalized: boolean().notNull().default(false),
    finalityCheckAt: finalityCheckAt(),
    failureReason: text('failure_reason'),
    /** Null for the command line. */
    operatorId: operatorId('operator_id'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    // The very same change is made once. One that was signed elsewhere may carry several settlements: each has its reference.
    uniqueIndex('operator_transactions_one_change').on(t.txSignature).where(sql`${t.redemptionId} is null`),
    index('operator_transactions_signature').on(t.txSignature),
    // A redemption's tokens leave escrow once: while one may still land, there is no other.
    uniqueIndex('operator_transactions_one_settlement')
      .on(t.redemptionId)
      .where(sql`${t.status} in ('pending', 'confirmed')`),
    index('operator_transactions_pending').on(t.lastValidBlockHeight).where(sql`${t.status} = 'pending'`),
    index('operator_transactions_not_finalized')
      .on(t.finalityCheckAt, t.slot)
      .where(sql`${t.slot} is not null and not ${t.finalized}`),
    index('operator_transactions_partner').on(t.partnerId, t.createdAt),
    check(
      'operator_transactions_settlement',
      sql`(${t.kind} in ('refund', 'burn')) = (${t.redemptionId} is not null) and (${t.redemptionId} is null) = (${t.amount} is null)`,
    ),
    check('operator_transactions_failure', sql`(${t.status} = 'failed') = (${t.failureReason} is not null)`),
  ],
);

export type OperatorTransaction = typeof operatorTransactions.$inferSelect;

/** What is written before a transaction is sent or handed out. */
export type NewOperatorTransaction = Pick<
  OperatorTransaction,
  | 'id'
  | 'kind'
  | 'redemptionId'
  | 'partnerId'
  | 'amount'
  | 'txSignature'
  | 'lastValidBlockHeight'
  | 'operatorId'
>;

/**
 * Writes a transaction that is about to be sent or handed out; false when the tokens of its redemption have left escrow
 * already or may still do so, and when it is written already. Whatever becomes of it, the indexer notes.
 */
export async function insertOperatorTransaction(
  tx: Tx,
  row: NewOperatorTransaction,
  at: Date,
): Promise<boolean> {
  return insertNew(tx, operatorTransactions, { ...row, createdAt: at, updatedAt: at });
}
