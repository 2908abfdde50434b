import type { Context } from '../../context.js';
import {
  expireOperatorTransaction,
  findEndedOperatorTransactions,
  type OverdueOperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import type { Ends } from '../../db/ended.js';
import { pagesWithoutTrace, type Traces } from '../indexing/traces.js';

const rowsPerRead = 256;

/**
 * Ends the operator transactions that can no longer land; how many. An expired one may be made again: every event that could
 * show it is recorded, and where its signature is known no node that has seen as much knows the transaction. Rejects when the
 * nodes or the database fail.
 */
export async function sweepExpiredOperatorTransactions(
  ctx: Context,
  ends: Ends,
  by: Traces,
): Promise<number> {
  const readPage = async (page: { limit: number; after: OverdueOperatorTransaction | undefined }) => {
    const rows = await findEndedOperatorTransactions(ctx.db, ends, page);
    return rows.map((row) => ({ ...row, txSignatures: row.txSignature ? [row.txSignature] : [] }));
  };
  let expired = 0;
  for await (const gone of pagesWithoutTrace(ctx, readPage, rowsPerRead, by)) {
    for (const { id } of gone) {
      const at = new Date(ctx.clock.now());
      if (await ctx.db.transaction((tx) => expireOperatorTransaction(tx, id, at))) expired += 1;
    }
  }
  return expired;
}
