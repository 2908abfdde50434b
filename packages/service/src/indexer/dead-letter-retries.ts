import type { Signature } from '@solana/kit';
import { carryOutRetry, retryDeadLetter } from '../actions/retry-dead-letter.js';
import type { Context } from '../context.js';
import { findOpenDeadLetters, findRequestedRetries } from '../db/dead-letters.js';
import { decodeAnswer } from './decode.js';
import type { Indexing } from './finality.js';
import { fetchTransaction } from './source.js';
import type { Tuning } from './tuning.js';

const lettersPerRound = 50;
const retryLettersForMs = 24 * 3_600_000;

/** Reads transactions of dead letters again: those that operators ask for, and those that no node knew before. */
export class DeadLetterRetries {
  readonly #ctx: Context;
  readonly #tuning: Pick<Tuning, 'retryLettersMs'>;
  readonly #indexing: Pick<Indexing, 'view'>;
  #retriedAtMs = Number.NEGATIVE_INFINITY;

  constructor(ctx: Context, tuning: Pick<Tuning, 'retryLettersMs'>, indexing: Pick<Indexing, 'view'>) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#indexing = indexing;
  }

  /** Rejects when the node or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    await this.#carryOutRequests(signal);
    if (performance.now() - this.#retriedAtMs < this.#tuning.retryLettersMs) return;
    this.#retriedAtMs = performance.now();
    await this.#retryUnavailable(signal);
  }

  async #carryOutRequests(signal: AbortSignal): Promise<void> {
    for (const letter of await findRequestedRetries(this.#ctx.db, lettersPerRound)) {
      const signature = letter.signature as Signature;
      const fetched = await fetchTransaction(this.#ctx.chain.rpc, signature, signal);
      // A node that fails has not said anything: it is asked again.
      if (fetched.kind === 'broken') continue;
      const { slot } = letter;
      const record =
        fetched.kind === 'found'
          ? await decodeAnswer({ signature, slot }, fetched.answer, this.#indexing.view())
          : undefined;
      signal.throwIfAborted();
      await carryOutRetry(this.#ctx, letter, record);
    }
  }

  async #retryUnavailable(signal: AbortSignal): Promise<void> {
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
      const record = await decodeAnswer(
        { signature, slot: letter.slot },
        fetched.answer,
        this.#indexing.view(),
      );
      signal.throwIfAborted();
      await retryDeadLetter(this.#ctx, record);
    }
  }
}
