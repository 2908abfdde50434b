import type { Context } from '../../context.js';
import { deleteLapsedQuotes } from '../../db/redemptions/redemptions.js';
import { inBatches } from '../in-batches.js';
import type { FinalizedChain } from '../indexing/traceless.js';

const keptMs = 7 * 24 * 60 * 60_000;
/** A backlog is worked off over several rounds, so that one round does not hold up what waits behind it. */
const batchesPerRound = 20;

/**
 * Deletes quotes of redemptions that lapsed at least 7 days ago, 20,000 at most, and returns how many. Everything that
 * the finalized chain carries up to `seen` has to be recorded: a payment that the indexer has yet to read needs its
 * quote. Each batch is a transaction of its own. Rejects when the database fails, and when `signal` aborts between two
 * batches.
 */
export async function deleteOldQuotes(
  ctx: Context,
  seen: FinalizedChain,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(ctx.clock.now() - keptMs);
  const old = { before, recordedHeight: seen.blockHeight };
  const batch = (limit: number) => ctx.db.transaction((tx) => deleteLapsedQuotes(tx, { ...old, limit }));
  return inBatches(batch, signal, batchesPerRound);
}
