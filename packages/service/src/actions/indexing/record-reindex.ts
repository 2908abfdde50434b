import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { recordChange } from '../audit.js';

/** Notes in the audit log that the chain is read again from a slot on, before it is. */
export async function recordReindex(ctx: Context, by: ChangedBy, fromSlot: bigint): Promise<void> {
  const at = new Date(ctx.clock.now());
  const { programAddress } = ctx.chain;
  await ctx.db.transaction((tx) => {
    const change = { action: 'indexer.reindex' as const, objectId: programAddress };
    return recordChange(tx, by, { ...change, after: { from_slot: fromSlot.toString() } }, at);
  });
}
