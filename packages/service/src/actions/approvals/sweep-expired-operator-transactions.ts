import type { Context } from '../../context.js';
import {
  expireOperatorTransaction,
  findEndedOperatorTransactions,
  type OverdueOperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import type { Ends } from '../../db/ended.js';
import { type RecordLines, withoutTrace } from '../indexing/traces.js';

const rowsPerRead = 256;

/**
 * Ends the operator transactions that can no longer land; how many. An expired one may be made again: every event that could
 * show it is recorded, and where its signature is known no node that has seen as much knows the transaction. Rejects when the
 * nodes or the database fail.
 */
export async function sweepExpiredOperatorTransactions(
  ctx: Context,
  ends: Ends,
  by: { seenSlot: bigint; record: RecordLines },
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  let after: OverdueOperatorTransaction | undefined;
  for (;;) {
    const rows = await findEndedOperatorTransactions(ctx.db, ends, { limit: rowsPerRead, after });
    const traced = rows.map(({ id, txSignature }) => ({
      id,
      txSignatures: txSignature ? [txSignature] : [],
    }));
    for (const { id } of await withoutTrace(ctx, traced, by, signal)) {
      const at = new Date(ctx.clock.now());
      if (await ctx.db.transaction((tx) => expireOperatorTransaction(tx, id, at))) expired += 1;
    }
    after = rows.at(-1);
    if (rows.length < rowsPerRead) return expired;
  }
}
