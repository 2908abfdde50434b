import type { Context } from '../../context.js';
import { deleteLapsedQuotes } from '../../db/redemptions/redemptions.js';
import { inBatches } from '../in-batches.js';

const keptMs = 7 * 24 * 60 * 60_000;
/** A backlog is worked off over several rounds, so that one round does not hold up what waits behind it. */
const batchesPerRound = 20;

/**
 * Deletes quotes of redemptions that lapsed at least 7 days ago, 20,000 at most, and returns how many. Each batch is a
 * transaction of its own. Rejects when the database fails, and when `signal` aborts between two batches.
 */
export async function deleteOldQuotes(ctx: Context, signal: AbortSignal): Promise<number> {
  const before = new Date(ctx.clock.now() - keptMs);
  const batch = (limit: number) => ctx.db.transaction((tx) => deleteLapsedQuotes(tx, { before, limit }));
  return inBatches(batch, signal, batchesPerRound);
}
