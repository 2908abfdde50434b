import type { Context } from '../context.js';
import { recordIndexerRound as record, type SeenChain } from '../db/indexer-rounds.js';

/**
 * Notes that the indexer got through a whole round, for the readiness of processes that do not index, and how far it has
 * seen the chain by then, for those that compare.
 */
export async function recordIndexerRound(ctx: Context, seen?: SeenChain): Promise<void> {
  await ctx.db.transaction((tx) => record(tx, seen));
}
