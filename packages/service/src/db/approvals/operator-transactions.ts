import { and, asc, count, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  check,
  index,
  pgEnum,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { newUuid, type RedemptionId, type Uuid } from '../../domain/ids.js';
import {
  effectiveStatuses,
  type OperatorTransactionEvent,
  operatorTransactionMove,
  operatorTransactionStatuses,
} from '../../domain/operator-transaction.js';
import type { TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { gold, hasBytes, int64, moment, statusIn, txSignature } from '../columns.js';
import { canLandNoMore, type Ends, isComplete } from '../ended.js';
import { holdUnfinalized } from '../indexing/finality.js';
import { behindHeight } from '../page.js';
import { partnerId } from '../partners/partners.js';
import { personId } from '../people/people.js';
import { redemptionId } from '../redemptions/redemptions.js';
import { changeRow, findRow, insertNew } from '../rows.js';

export const operatorTransactionKind = pgEnum('operator_transaction_kind', [
  'refund',
  'burn',
  'announce_burn',
  'cancel_burn',
  'create_integrator',
  'update_integrator',
  'update_executives',
  'propose_authority',
  'cancel_authority',
  'apply_authority',
  'pause',
  'resume',
  'set_market',
  'suspend_integrator',
  'propose_settings',
  'apply_settings',
  'cancel_settings',
]);
export const operatorTransactionStatus = pgEnum('operator_transaction_status', operatorTransactionStatuses);

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
    redemptionId: redemptionId(),
    partnerId: partnerId(),
    /** GOLD in base units, of refunds and burns. */
    amount: gold(),
    /** Of an announced burn that the chain has: when it can be done. */
    burnDueAt: moment('burn_due_at'),
    /** Number of the program's event, of burns that are announced or cancelled: the highest of a redemption counts. */
    eventSeq: int64('event_seq'),
    /** Null for what was handed out unsigned, until the chain shows it. */
    txSignature: txSignature('tx_signature'),
    /** The transaction cannot land above this block height. */
    lastValidBlockHeight: int64('last_valid_block_height').notNull(),
    slot: int64(),
    failureReason: text('failure_reason'),
    /** Null for the command line. */
    operatorId: personId('operator_id'),
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
      .where(sql`${statusIn(t.status, effectiveStatuses)} and ${isSettlement(t)}`),
    // Of announcing and cancelling a burn one is under way at a time.
    uniqueIndex('operator_transactions_one_announcement')
      .on(t.redemptionId)
      .where(sql`${openOperatorTransaction(t)} and not ${isSettlement(t)}`),
    index('operator_transactions_burn_due').on(t.burnDueAt).where(sql`${t.burnDueAt} is not null`),
    index('operator_transactions_pending').on(t.lastValidBlockHeight).where(openOperatorTransaction(t)),
    index('operator_transactions_partner').on(t.partnerId, t.createdAt),
    check(
      'operator_transactions_settlement',
      sql`(${t.kind} in ('refund', 'burn', 'announce_burn', 'cancel_burn')) = (${t.redemptionId} is not null) and ${isSettlement(t)} = (${t.amount} is not null)`,
    ),
    check(
      'operator_transactions_burn',
      sql`(${t.eventSeq} is null or ${t.kind} in ('announce_burn', 'cancel_burn')) and (${t.burnDueAt} is not null) = (${t.eventSeq} is not null and ${t.kind} = 'announce_burn')`,
    ),
    check(
      'operator_transactions_landed',
      sql`${t.status} <> 'confirmed' or num_nulls(${t.txSignature}, ${t.slot}) = 0`,
    ),
    check('operator_transactions_signature_length', hasBytes(t.txSignature, 64)),
    check('operator_transactions_failure', sql`(${t.status} = 'failed') = (${t.failureReason} is not null)`),
  ],
);

export type OperatorTransaction = typeof operatorTransactions.$inferSelect;

/** Condition: it takes the tokens of a redemption out of escrow. */
export function isSettlement({ kind }: { kind: AnyPgColumn }): SQL {
  return sql`(${kind} in ('refund', 'burn'))`;
}

/** Condition: the transaction is not known to have landed, nor to be unable to. */
export function openOperatorTransaction({ status }: { status: AnyPgColumn }): SQL {
  return statusIn(status, operatorTransactionMove('expire').from);
}

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

/** Returns how many pauses were written down here: another number is another pause, whatever the clock of who wrote it. */
export async function countPauses(db: Db | Tx): Promise<number> {
  const { kind } = operatorTransactions;
  const [row] = await db.select({ pauses: count() }).from(operatorTransactions).where(eq(kind, 'pause'));
  return row?.pauses ?? 0;
}

export type LandedOperatorTransaction = OperatorTransaction & { txSignature: TxSignature; slot: bigint };

/** Returns an operator transaction that the chain has; undefined while it does not. */
export async function findLandedOperatorTransaction(
  db: Db | Tx,
  id: Uuid,
): Promise<LandedOperatorTransaction | undefined> {
  const { slot } = operatorTransactions;
  const row = await findRow(db, operatorTransactions, and(eq(operatorTransactions.id, id), isNotNull(slot)));
  return row as LandedOperatorTransaction | undefined;
}

/** Notes that an operator transaction is on chain; false if it is noted already, or has ended otherwise. */
export async function confirmOperatorTransaction(
  tx: Tx,
  id: Uuid,
  landed: { txSignature: TxSignature; slot: bigint } & Partial<BurnEvent>,
  at: Date,
): Promise<boolean> {
  return move(tx, id, 'execute', { ...landed, updatedAt: at });
}

/** What the program's event says of a burn that was announced or cancelled. */
export type BurnEvent = Pick<OperatorTransaction, 'eventSeq' | 'burnDueAt'>;

/** Writes down what the chain did with a redemption's tokens, or shall do, and of which nothing here was known. */
export async function insertLandedForRedemption(
  tx: Tx,
  landed: Pick<LandedOperatorTransaction, 'kind' | 'redemptionId' | 'partnerId' | 'txSignature' | 'slot'> &
    Partial<BurnEvent & Pick<LandedOperatorTransaction, 'amount'>>,
  at: Date,
): Promise<void> {
  const times = { lastValidBlockHeight: 0n, createdAt: at, updatedAt: at };
  await tx.insert(operatorTransactions).values({ id: newUuid(), status: 'confirmed', ...times, ...landed });
}

/**
 * Returns what was handed out or sent as this transaction, whatever its state, locked until `tx` ends; several where
 * somebody put them into one.
 */
export async function lockOperatorTransactionsOf(
  tx: Tx,
  txSignature: TxSignature,
): Promise<OperatorTransaction[]> {
  return tx
    .select()
    .from(operatorTransactions)
    .where(eq(operatorTransactions.txSignature, txSignature))
    .for('update');
}

/** Returns pending ones of a kind, and of a redemption or a partner, that were returned unsigned, which nothing else distinguishes. */
export async function findUnsignedOperatorTransactions(
  db: Db | Tx,
  wanted: {
    kind: OperatorTransaction['kind'];
    partnerId?: Uuid | undefined;
    redemptionId?: RedemptionId | undefined;
  },
): Promise<OperatorTransaction[]> {
  const { kind, partnerId, redemptionId } = wanted;
  return db
    .select()
    .from(operatorTransactions)
    .where(
      and(
        eq(operatorTransactions.kind, kind),
        openOperatorTransaction(operatorTransactions),
        isNull(operatorTransactions.txSignature),
        redemptionId === undefined ? undefined : eq(operatorTransactions.redemptionId, redemptionId),
        redemptionId !== undefined
          ? undefined
          : partnerId === undefined
            ? isNull(operatorTransactions.partnerId)
            : eq(operatorTransactions.partnerId, partnerId),
      ),
    );
}

/** Notes that the chain refused a pending one; false when it has ended already. */
export async function failOperatorTransaction(
  tx: Tx,
  id: Uuid,
  landed: { slot: bigint; failureReason: string },
  at: Date,
): Promise<boolean> {
  return move(tx, id, 'fail', { ...landed, updatedAt: at });
}

/** Ends one that can no longer land, if it still waits; false if not. */
export async function expireOperatorTransaction(tx: Tx, id: Uuid, at: Date): Promise<boolean> {
  return move(tx, id, 'expire', { updatedAt: at });
}

/** Moves one as an event does; false when its status does not allow it. */
async function move(
  tx: Tx,
  id: Uuid,
  event: OperatorTransactionEvent,
  changes: Omit<Partial<typeof operatorTransactions.$inferInsert>, 'status'>,
): Promise<boolean> {
  const { from, to } = operatorTransactionMove(event);
  const isMovable = and(eq(operatorTransactions.id, id), inArray(operatorTransactions.status, from));
  return changeRow(tx, operatorTransactions, { ...changes, status: to }, isMovable);
}

/** What is known of a pending operator transaction that can no longer land. */
export type OverdueOperatorTransaction = Pick<
  OperatorTransaction,
  'id' | 'txSignature' | 'lastValidBlockHeight'
>;

/** Returns pending ones that can land no more, oldest first: those behind `after`, or the first ones. */
export async function findEndedOperatorTransactions(
  db: Db | Tx,
  ends: Ends,
  page: { limit: number; after: OverdueOperatorTransaction | undefined },
): Promise<OverdueOperatorTransaction[]> {
  const { id, txSignature, lastValidBlockHeight } = operatorTransactions;
  const { after } = page;
  const from = after && { height: after.lastValidBlockHeight, id: after.id };
  return db
    .select({ id, txSignature, lastValidBlockHeight })
    .from(operatorTransactions)
    .where(
      and(
        openOperatorTransaction(operatorTransactions),
        canLandNoMore(operatorTransactions, ends),
        isComplete(operatorTransactions.partnerId, ends),
        behindHeight(lastValidBlockHeight, id, from),
      ),
    )
    .orderBy(asc(lastValidBlockHeight), asc(id))
    .limit(page.limit);
}

/** Ends one whose transaction the chain dropped, so that it may be made again; false when it is not revocable any more. */
export async function takeBackOperatorTransaction(
  tx: Tx,
  { id, txSignature }: Pick<LandedOperatorTransaction, 'id' | 'txSignature'>,
  at: Date,
): Promise<boolean> {
  if (!(await holdUnfinalized(tx, 'operator_transaction', { id, txSignature }))) return false;
  // Without its slot it is not looked after any more as one that has landed.
  return move(tx, id, 'revert', { slot: null, updatedAt: at });
}
