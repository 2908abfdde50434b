import type { Context } from '../../context.js';
import {
  expireOperatorTransaction,
  findOperatorTransactionsExpiredBelow,
  type OverdueOperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import { type FinalizedChain, withoutTrace } from '../indexing/traceless.js';

const rowsPerRead = 256;

/**
 * Ends the operator transactions that can no longer land; how many. An expired one may be made again, so that nothing
 * less will do than both proofs: everything that the finalized chain carries up to `seen` is recorded, and where the
 * signature is known no node that has seen as much knows the transaction. Rejects when the node or the database fails.
 */
export async function sweepExpiredOperatorTransactions(
  ctx: Context,
  seen: FinalizedChain,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  let after: OverdueOperatorTransaction | undefined;
  for (;;) {
    const page = { limit: rowsPerRead, after };
    const rows = await findOperatorTransactionsExpiredBelow(ctx.db, seen.blockHeight, page);
    const traced = rows.map(({ id, txSignature }) => ({
      id,
      txSignatures: txSignature ? [txSignature] : [],
    }));
    for (const { id } of await withoutTrace(ctx, traced, seen.slot, signal)) {
      const at = new Date(ctx.clock.now());
      if (await ctx.db.transaction((tx) => expireOperatorTransaction(tx, id, at))) expired += 1;
    }
    after = rows.at(-1);
    if (rows.length < rowsPerRead) return expired;
  }
}
