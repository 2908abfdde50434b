import type { Context } from '../context.js';
import { resolveDeadLetters } from '../db/dead-letters.js';
import { type ChainRecord, writeRecord } from './record-trade.js';

/**
 * Records a transaction that was a dead letter because the node did not know it, now that it does, and settles that
 * letter. Whatever else is wrong with the transaction gets dead letters of its own.
 */
export async function retryDeadLetter(ctx: Context, record: ChainRecord): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const at = new Date(ctx.clock.now());
    await writeRecord(ctx, tx, record, at);
    await resolveDeadLetters(tx, record.signature, ['transaction_unavailable', 'unsupported_version'], at);
  });
}
