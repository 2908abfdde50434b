import { sweepExpiredOperatorTransactions } from '../../actions/approvals/sweep-expired-operator-transactions.js';
import { type FinalizedChain, finalHeightOfAll, finalizedChain } from '../../actions/indexing/traceless.js';
import { sweepExpiredOrders } from '../../actions/orders/sweep-expired-orders.js';
import { deleteOldQuotes } from '../../actions/redemptions/delete-old-quotes.js';
import { sweepLapsedRedemptions } from '../../actions/redemptions/sweep-lapsed-redemptions.js';
import { sweepExpiredSubmissions } from '../../actions/trades/sweep-expired-submissions.js';
import type { Context } from '../../context.js';
import { lowerLastHeights } from '../../db/indexing/last-heights.js';
import { findOrderEnd } from '../../db/orders/landed-orders.js';
import { findSubmissionEnd } from '../../db/trades/submissions.js';
import type { Indexing } from '../finality/finality.js';
import type { Tuning } from '../tuning.js';

/**
 * Nothing waits for a block that is further ahead of the finalized chain: a blockhash lives for 150 blocks, its end is
 * taken to be 150 later at most, and the newest block is less than that ahead of the final ones. Ten minutes of blocks
 * are several times as much, so that nothing ends early if the chain is slow to finalize.
 */
const farthestAheadBlocks = 1_500n;

/**
 * Ends what can no longer land: quotes of redemptions, trades that were sent, orders and transactions of operators. Deletes quotes that ended
 * 7 days ago. Nothing ends before everything is recorded that the finalized chain carries up to its last block: an
 * indexer that was stopped for a while still has the payments of that time to read. Somebody waits for the end of an
 * order and of a trade, so the indexer is made to prove what it has recorded as soon as one can no longer land, not at its next
 * look at the overlap.
 */
export function expiryOf(
  ctx: Context,
  tuning: Pick<Tuning, 'lapseMs'>,
  indexing: Pick<Indexing, 'seen' | 'prove'>,
): { round(signal: AbortSignal): Promise<void> } {
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  /** End of an order or a trade for which a proof was requested. */
  let awaited: bigint | undefined;
  /** Rejects when the node or the database fails; nothing is lost by that. */
  const round = async (signal: AbortSignal) => {
    const seen = indexing.seen();
    if (!seen) return;
    const isProven = awaited !== undefined && seen.blockHeight > awaited;
    if (isProven || performance.now() - sweptAtMs >= tuning.lapseMs) await sweep(seen, signal);
    awaited = await requestProof(seen, signal);
  };
  const requestProof = async (seen: FinalizedChain, signal: AbortSignal) => {
    const at = new Date(ctx.clock.now());
    const ends = await Promise.all([
      findOrderEnd(ctx.db, seen.blockHeight, at),
      findSubmissionEnd(ctx.db, seen.blockHeight, at),
    ]);
    const end = ends.reduce((low, next) =>
      low === undefined || (next !== undefined && next < low) ? next : low,
    );
    if (end === undefined || (await finalizedChain(ctx, signal)).blockHeight <= end) return undefined;
    indexing.prove();
    return end;
  };
  /** Rejects after having tried every kind. */
  const sweep = async (seen: FinalizedChain, signal: AbortSignal) => {
    sweptAtMs = performance.now();
    // One node alone has said how far the chain is when it listed.
    const isOnly = ctx.chain.witnesses.length < 2;
    const finalHeight = isOnly ? seen.blockHeight : await finalHeightOfAll(ctx, seen, signal);
    if (finalHeight === undefined) return;
    // The end of what waits was no lower than any node said; of one that had said too much, it would never come.
    const lowered = await lowerLastHeights(ctx.db, finalHeight + farthestAheadBlocks);
    if (lowered > 0)
      ctx.log.warn({ lowered }, 'a node said that transactions could land long after they can');
    const sweeps = {
      redemptions: () => sweepLapsedRedemptions(ctx, seen, signal),
      trades: () => sweepExpiredSubmissions(ctx, seen, signal),
      orders: () => sweepExpiredOrders(ctx, seen),
      operator_transactions: () => sweepExpiredOperatorTransactions(ctx, seen, signal),
      lapsed_quotes: () => deleteOldQuotes(ctx, seen, signal),
    };
    let failure: unknown;
    for (const [records, sweep] of Object.entries(sweeps)) {
      signal.throwIfAborted();
      try {
        const ended = await sweep();
        if (ended > 0) ctx.log.info({ records, ended }, 'marked what can no longer land as expired');
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  };
  return { round };
}
