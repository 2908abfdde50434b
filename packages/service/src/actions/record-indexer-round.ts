import type { Context } from '../context.js';
import { recordIndexerRound as record } from '../db/indexer-rounds.js';

/** Notes that the indexer got through a whole round, for the readiness of processes that do not index. */
export async function recordIndexerRound(ctx: Context): Promise<void> {
  await ctx.db.transaction(record);
}
