import type { Context } from '../context.js';
import { insertKeeperStatusChange, type KeeperStatusChange } from '../db/status-changes.js';

/** Notes a `set_status` that the keeper is about to send; what becomes of it the indexer notes. */
export async function recordStatusChange(ctx: Context, change: KeeperStatusChange): Promise<void> {
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction((tx) => insertKeeperStatusChange(tx, change, at));
}
