import type { Context } from '../../context.js';
import {
  expireOperatorTransaction,
  findOperatorTransactionsExpiredBelow,
} from '../../db/approvals/operator-transactions.js';
import { type FinalizedChain, withoutTrace } from '../indexing/traceless.js';

const rowsPerRound = 256;

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
  const rows = await findOperatorTransactionsExpiredBelow(ctx.db, seen.blockHeight, rowsPerRound);
  const traced = rows.map(({ id, txSignature }) => ({ id, txSignatures: txSignature ? [txSignature] : [] }));
  const lapsed = await withoutTrace(ctx, traced, seen.slot, signal);
  let expired = 0;
  for (const { id } of lapsed) {
    const at = new Date(ctx.clock.now());
    if (await ctx.db.transaction((tx) => expireOperatorTransaction(tx, id, at))) expired += 1;
  }
  return expired;
}
