import type { Context } from '../context.js';
import { pause } from '../runtime/time.js';
import { SignaturePool } from './decode/signature-pool.js';
import { Follower } from './follower.js';
import { LostCursorError } from './listing.js';
import { openSource } from './open-source.js';
import { defaultTuning } from './tuning.js';

const pauseMs = 200;
const retryMs = 1_000;
/** Rounds in a row that may fail: an indexer that records the same just then is in the way for a second or two. */
const maxFailures = 5;

/**
 * Reads everything that the chain carries from a slot on once more and records what is missing. What is recorded already
 * stays as it is, and cursors do not move, so it may run next to the indexer and be broken off at any time. Needs a started
 * `ctx.chain`. Returns the number of transactions that it read; rejects when node or database go on failing, or when the
 * node's history does not reach back so far (`LostCursorError`).
 */
export async function reindex(ctx: Context, fromSlot: bigint, signal: AbortSignal): Promise<number> {
  const signatures = new SignaturePool();
  const source = openSource(ctx, signatures.verify);
  try {
    return await readAll(new Follower(ctx, source, defaultTuning, { rereadFrom: fromSlot }), signal);
  } finally {
    await signatures.close();
  }
}

async function readAll(follower: Follower, signal: AbortSignal): Promise<number> {
  let read = 0;
  let failures = 0;
  for (;;) {
    try {
      const { found, waiting, behind } = await follower.round(signal);
      failures = 0;
      read += found;
      // A service signer that was found on the way has a history of its own.
      if (found === 0 && waiting === 0 && !behind) return read;
      if (waiting > 0) await pause(pauseMs, signal);
    } catch (error) {
      failures += 1;
      if (error instanceof LostCursorError || signal.aborted || failures > maxFailures) throw error;
      await pause(retryMs, signal);
    }
  }
}
