import type { Signature } from '@solana/kit';
import { carryOutRetry, retryDeadLetter } from '../actions/retry-dead-letter.js';
import { finalizeTrades, removeVanishedTrade, replaceTrade } from '../actions/settle-trade.js';
import type { Context } from '../context.js';
import { findRequestedRetries } from '../db/dead-letter-cases.js';
import { findOpenDeadLetters } from '../db/dead-letters.js';
import { findUnfinalizedTrades, type Trade } from '../db/trades.js';
import { decodeAnswer } from './decode.js';
import type { DecodeView } from './decode-view.js';
import { hasVanished, type Status, statusesOf } from './finality.js';
import { fetchTransaction } from './source.js';
import type { TransactionAnswer } from './transaction.js';
import type { Tuning } from './tuning.js';

/** Limit of `getSignatureStatuses`. */
const rowsPerRound = 256;
/** How often in a row a transaction must be missing before its trade is taken back. */
const missingLooks = 3;
const lettersPerRound = 50;
const retryLettersForMs = 24 * 3_600_000;

/**
 * Looks at what was recorded until it is final: the chain may still drop a confirmed transaction or carry it in another
 * block. Also asks again for transactions that are dead letters only because no node knew them.
 */
export class Settler {
  readonly #ctx: Context;
  readonly #tuning: Tuning;
  readonly #view: () => DecodeView;
  /** How often in a row a trade's transaction was missing, by signature. */
  #missing = new Map<string, number>();
  #retriedAtMs = Number.NEGATIVE_INFINITY;

  constructor(ctx: Context, tuning: Tuning, view: () => DecodeView) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#view = view;
  }

  /** Rejects when the node or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    await this.#settle(signal);
    await this.#carryOutRetries(signal);
    if (performance.now() - this.#retriedAtMs < this.#tuning.retryLettersMs) return;
    this.#retriedAtMs = performance.now();
    await this.#retryLetters(signal);
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const rows = await findUnfinalizedTrades(this.#ctx.db, rowsPerRound);
    if (rows.length === 0) return;
    const signatures = rows.map(({ txSignature }) => txSignature);
    const statuses = await statusesOf(this.#ctx.chain.rpc, signatures, signal);
    const final: Trade[] = [];
    const moved: Trade[] = [];
    const missing = new Map<string, number>();
    for (const [index, row] of rows.entries()) {
      const status = statuses[index];
      if (!status) missing.set(row.txSignature, (this.#missing.get(row.txSignature) ?? 0) + 1);
      else if (status.confirmationStatus !== 'finalized') continue;
      else if (isAsRecorded(row, status)) final.push(row);
      else moved.push(row);
    }
    this.#missing = missing;
    signal.throwIfAborted();
    if (final.length > 0)
      await finalizeTrades(
        this.#ctx,
        final.map(({ id }) => id),
      );
    for (const row of moved) await this.#replace(row, signal);
    for (const row of rows) {
      if ((missing.get(row.txSignature) ?? 0) >= missingLooks) await this.#removeIfGone(row, signal);
    }
  }

  /** The transaction is final, but not as it was recorded: the chain carries it in another block. */
  async #replace(row: Trade, signal: AbortSignal): Promise<void> {
    const answer = await this.#ctx.chain.rpc
      .getTransaction(row.txSignature as Signature, {
        commitment: 'finalized',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      })
      .send({ abortSignal: signal });
    if (!answer?.meta) return;
    const listed = { signature: row.txSignature as Signature, slot: row.slot };
    const record = await decodeAnswer(listed, answer as TransactionAnswer, this.#view());
    // An answer that does not hold together says nothing about the trade.
    if (record.letters.some(({ reason }) => reason === 'undecodable')) return;
    this.#ctx.log.warn({ trade: row.id, tx: row.txSignature }, 'the chain carries a trade in another block');
    await replaceTrade(this.#ctx, row, record);
  }

  /** Takes a trade back if its transaction is certainly gone. */
  async #removeIfGone(row: Trade, signal: AbortSignal): Promise<void> {
    if (!(await hasVanished(this.#ctx.chain.rpc, row, signal))) return;
    this.#ctx.log.error(
      { trade: row.id, tx: row.txSignature },
      'the chain dropped the transaction of a trade',
    );
    await removeVanishedTrade(this.#ctx, row);
  }

  /** What operators asked for. */
  async #carryOutRetries(signal: AbortSignal): Promise<void> {
    for (const letter of await findRequestedRetries(this.#ctx.db, lettersPerRound)) {
      const signature = letter.signature as Signature;
      const fetched = await fetchTransaction(this.#ctx.chain.rpc, signature, signal);
      // A node that fails has not said anything: it is asked again.
      if (fetched.kind === 'broken') continue;
      const { slot } = letter;
      const record =
        fetched.kind === 'found'
          ? await decodeAnswer({ signature, slot }, fetched.answer, this.#view())
          : undefined;
      signal.throwIfAborted();
      await carryOutRetry(this.#ctx, letter, record);
    }
  }

  async #retryLetters(signal: AbortSignal): Promise<void> {
    const since = new Date(this.#ctx.clock.now() - retryLettersForMs);
    const letters = await findOpenDeadLetters(
      this.#ctx.db,
      'transaction_unavailable',
      since,
      lettersPerRound,
    );
    for (const letter of letters) {
      const signature = letter.signature as Signature;
      const fetched = await fetchTransaction(this.#ctx.chain.rpc, signature, signal);
      if (fetched.kind !== 'found') continue;
      const record = await decodeAnswer({ signature, slot: letter.slot }, fetched.answer, this.#view());
      signal.throwIfAborted();
      await retryDeadLetter(this.#ctx, record);
    }
  }
}

function isAsRecorded(row: Trade, status: Status): boolean {
  return status.slot === row.slot && (status.err === null) === (row.status === 'confirmed');
}
