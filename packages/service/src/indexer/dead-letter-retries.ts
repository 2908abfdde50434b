import { carryOutRetry, retryDeadLetter } from '../actions/indexing/retry-dead-letter.js';
import type { Context } from '../context.js';
import { findOpenDeadLetters, findRequestedRetries } from '../db/indexing/dead-letters.js';
import { asTxSignature } from '../domain/solana.js';
import type { Recorder } from './record.js';
import type { Source } from './source.js';
import type { Tuning } from './tuning.js';

const deadLettersPerRound = 50;
const retryDeadLettersForMs = 24 * 3_600_000;

/** Reads transactions of dead letters again: those that operators request, and those that no node had before. */
export class DeadLetterRetries {
  readonly #ctx: Context;
  readonly #source: Source;
  readonly #recorder: Recorder;
  readonly #retryMs: number;
  #retriedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    ctx: Context,
    source: Source,
    recorder: Recorder,
    { retryDeadLettersMs }: Pick<Tuning, 'retryDeadLettersMs'>,
  ) {
    this.#ctx = ctx;
    this.#source = source;
    this.#recorder = recorder;
    this.#retryMs = retryDeadLettersMs;
  }

  /** Rejects when the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    for (const deadLetter of await findRequestedRetries(this.#ctx.db, deadLettersPerRound)) {
      const record = await this.#read(deadLetter, signal);
      // A failure of the nodes proves nothing: the request is repeated.
      if (record !== 'broken') await carryOutRetry(this.#ctx, deadLetter, record);
    }
    if (performance.now() - this.#retriedAtMs < this.#retryMs) return;
    this.#retriedAtMs = performance.now();
    const since = new Date(this.#ctx.clock.now() - retryDeadLettersForMs);
    const reason = 'transaction_unavailable';
    for (const deadLetter of await findOpenDeadLetters(this.#ctx.db, reason, since, deadLettersPerRound)) {
      const record = await this.#read(deadLetter, signal);
      if (record && record !== 'broken') await retryDeadLetter(this.#ctx, record);
    }
  }

  /** Returns the record of a transaction; undefined when no node has it, or the nodes do not agree about it yet. */
  async #read({ signature: subject, slot }: { signature: string; slot: bigint }, signal: AbortSignal) {
    const signature = asTxSignature(subject);
    if (!signature) return undefined;
    const fetched = await this.#source.fetchFromEach(signature, signal);
    if (fetched.kind === 'broken') return 'broken';
    const record = await this.#recorder.decode({ signature, slot }, fetched);
    signal.throwIfAborted();
    if (!record || fetched.kind !== 'found') return record;
    return (await this.#recorder.mayRecord(fetched, record, signal)) ? record : undefined;
  }
}
