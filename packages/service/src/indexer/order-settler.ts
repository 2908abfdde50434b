import type { Signature } from '@solana/kit';
import {
  finalizeOperatorTransactions,
  reportOperatorTransaction,
} from '../actions/finalize-operator-transactions.js';
import { finalizeOrders, replaceOrder, takeBackVanishedOrder } from '../actions/settle-order.js';
import { sweepExpiredOperatorTransactions } from '../actions/sweep-expired-operator-transactions.js';
import { sweepExpiredOrders } from '../actions/sweep-expired-orders.js';
import type { FinalizedChain } from '../actions/traceless.js';
import type { Context } from '../context.js';
import {
  findUnfinalizedOperatorTransactions,
  type LandedOperatorTransaction,
} from '../db/landed-operator-transactions.js';
import { findUnfinalizedOrders, type SettledOrder } from '../db/landed-orders.js';
import { decodeAnswer } from './decode.js';
import type { DecodeView } from './decode-view.js';
import { hasVanished, type Status, statusesOf } from './finality.js';
import type { TransactionAnswer } from './transaction.js';
import type { Tuning } from './tuning.js';

/** Limit of `getSignatureStatuses`. */
const rowsPerRound = 256;
/** How often in a row a transaction must be missing before that is looked into. */
const missingLooks = 3;

/** What the settler takes from the indexer that leads. */
export interface Indexing {
  view(): DecodeView;
  /** How far everything that the finalized chain carries is recorded; undefined before that is known. */
  seen(): FinalizedChain | undefined;
}

/**
 * Looks at landed orders and operator transactions until they are final, and ends those that can no longer land. An order
 * whose transaction the chain dropped waits again or is gone; an operator transaction stays for people to judge.
 */
export class OrderSettler {
  readonly #ctx: Context;
  readonly #tuning: Tuning;
  readonly #indexing: Indexing;
  /** How often in a row a row's transaction was missing, by the row's id. */
  #missing = new Map<string, number>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(ctx: Context, tuning: Tuning, indexing: Indexing) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#indexing = indexing;
  }

  /** Rejects when the node or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    const missing = new Map<string, number>();
    await this.#settleOrders(missing, signal);
    await this.#settleOperations(missing, signal);
    this.#missing = missing;
    const seen = this.#indexing.seen();
    if (!seen || performance.now() - this.#sweptAtMs < this.#tuning.lapseMs) return;
    this.#sweptAtMs = performance.now();
    const expired = await sweepExpiredOrders(this.#ctx, seen);
    if (expired > 0) this.#ctx.log.info({ expired }, 'orders expired');
    const ended = await sweepExpiredOperatorTransactions(this.#ctx, seen, signal);
    if (ended > 0) this.#ctx.log.warn({ expired: ended }, 'transactions of operators expired');
  }

  async #settleOrders(missing: Map<string, number>, signal: AbortSignal): Promise<void> {
    const rows = await findUnfinalizedOrders(this.#ctx.db, rowsPerRound);
    const { final, moved, gone } = await this.#look(rows, isOrderAsRecorded, missing, signal);
    await finalizeOrders(
      this.#ctx,
      final.map(({ id }) => id),
    );
    for (const row of moved) await this.#replace(row, signal);
    for (const row of gone) {
      if (!(await hasVanished(this.#ctx.chain.rpc, row, signal))) continue;
      this.#ctx.log.error(
        { order: row.id, tx: row.txSignature },
        'the chain dropped the transaction of an order',
      );
      await takeBackVanishedOrder(this.#ctx, row);
    }
  }

  async #settleOperations(missing: Map<string, number>, signal: AbortSignal): Promise<void> {
    const rows = await findUnfinalizedOperatorTransactions(this.#ctx.db, rowsPerRound);
    const { final, moved, gone } = await this.#look(rows, isOperationAsRecorded, missing, signal);
    await finalizeOperatorTransactions(
      this.#ctx,
      final.map(({ id }) => id),
    );
    for (const row of moved) await reportOperatorTransaction(this.#ctx, row, 'conflicting_record');
    for (const row of gone) {
      if (!(await hasVanished(this.#ctx.chain.rpc, row, signal))) continue;
      this.#ctx.log.error(
        { operation: row.id, tx: row.txSignature },
        'the chain dropped the transaction of an operator',
      );
      await reportOperatorTransaction(this.#ctx, row, 'vanished');
    }
  }

  /** Rows whose transactions are final as recorded, final otherwise, and missing for long enough to ask where they are. */
  async #look<Row extends { id: string; txSignature: string; slot: bigint }>(
    rows: Row[],
    isAsRecorded: (row: Row, status: Status) => boolean,
    missing: Map<string, number>,
    signal: AbortSignal,
  ): Promise<{ final: Row[]; moved: Row[]; gone: Row[] }> {
    const signatures = rows.map(({ txSignature }) => txSignature);
    const statuses = await statusesOf(this.#ctx.chain.rpc, signatures, signal);
    const found: { final: Row[]; moved: Row[]; gone: Row[] } = { final: [], moved: [], gone: [] };
    for (const [index, row] of rows.entries()) {
      const status = statuses[index];
      if (!status) {
        const looks = (this.#missing.get(row.id) ?? 0) + 1;
        missing.set(row.id, looks);
        if (looks >= missingLooks) found.gone.push(row);
      } else if (status.confirmationStatus === 'finalized') {
        (isAsRecorded(row, status) ? found.final : found.moved).push(row);
      }
    }
    signal.throwIfAborted();
    return found;
  }

  /** The transaction is final, but not as it was recorded: the chain carries it in another block. */
  async #replace(row: SettledOrder, signal: AbortSignal): Promise<void> {
    const answer = await this.#ctx.chain.rpc
      .getTransaction(row.txSignature as Signature, {
        commitment: 'finalized',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      })
      .send({ abortSignal: signal });
    if (!answer?.meta) return;
    const listed = { signature: row.txSignature as Signature, slot: row.slot };
    const record = await decodeAnswer(listed, answer as TransactionAnswer, this.#indexing.view());
    // An answer that does not hold together says nothing about the order.
    if (record.letters.some(({ reason }) => reason === 'undecodable')) return;
    this.#ctx.log.warn({ order: row.id, tx: row.txSignature }, 'the chain carries an order in another block');
    await replaceOrder(this.#ctx, row, record);
  }
}

function isOrderAsRecorded(row: SettledOrder, status: Status): boolean {
  return status.slot === row.slot && (status.err === null) === (row.status === 'confirmed');
}

/** The slot is of no account: which block carries it changes nothing about it. */
function isOperationAsRecorded(row: LandedOperatorTransaction, status: Status): boolean {
  return (status.err === null) === (row.status === 'confirmed');
}
