import { carryOutRetry, retryDeadLetter } from '../../actions/indexing/retry-dead-letter.js';
import type { Context } from '../../context.js';
import { findOpenDeadLetters, findRequestedRetries } from '../../db/indexing/dead-letters.js';
import { asTxSignature } from '../../domain/solana.js';
import { decodeFetched } from '../decode/decode.js';
import { fetchTransaction } from '../fetching.js';
import type { Indexing } from '../finality/finality.js';
import type { Tuning } from '../tuning.js';

const deadLettersPerRound = 50;
const retryDeadLettersForMs = 24 * 3_600_000;

/** Reads transactions of dead letters again: those that operators request, and those that no node knew before. */
export function deadLetterRetriesOf(
  ctx: Context,
  tuning: Pick<Tuning, 'retryDeadLettersMs'>,
  indexing: Pick<Indexing, 'view'>,
): { round(signal: AbortSignal): Promise<void> } {
  const { rpc } = ctx.chain;
  let retriedAtMs = Number.NEGATIVE_INFINITY;

  const carryOutRequests = async (signal: AbortSignal) => {
    for (const deadLetter of await findRequestedRetries(ctx.db, deadLettersPerRound)) {
      const signature = asTxSignature(deadLetter.signature);
      if (!signature) continue;
      const listed = { signature, slot: deadLetter.slot };
      const fetched = await fetchTransaction(rpc, listed.signature, signal);
      // A failure of the node proves nothing: the request is repeated.
      if (fetched.kind === 'broken') continue;
      const record = await decodeFetched(listed, fetched, indexing.view());
      signal.throwIfAborted();
      await carryOutRetry(ctx, deadLetter, record);
    }
  };

  const retryUnavailable = async (signal: AbortSignal) => {
    const since = new Date(ctx.clock.now() - retryDeadLettersForMs);
    for (const deadLetter of await findOpenDeadLetters(
      ctx.db,
      'transaction_unavailable',
      since,
      deadLettersPerRound,
    )) {
      const signature = asTxSignature(deadLetter.signature);
      if (!signature) continue;
      const listed = { signature, slot: deadLetter.slot };
      const fetched = await fetchTransaction(rpc, listed.signature, signal);
      const record = await decodeFetched(listed, fetched, indexing.view());
      if (!record) continue;
      signal.throwIfAborted();
      await retryDeadLetter(ctx, record);
    }
  };

  return {
    /** Rejects when the node or the database fails; nothing is lost by that. */
    async round(signal) {
      await carryOutRequests(signal);
      if (performance.now() - retriedAtMs < tuning.retryDeadLettersMs) return;
      retriedAtMs = performance.now();
      await retryUnavailable(signal);
    },
  };
}
