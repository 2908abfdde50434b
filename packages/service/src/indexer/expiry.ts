import { deleteOldQuotes } from '../actions/delete-old-quotes.js';
import { sweepExpiredOperatorTransactions } from '../actions/sweep-expired-operator-transactions.js';
import { sweepExpiredOrders } from '../actions/sweep-expired-orders.js';
import { sweepLapsedRedemptions } from '../actions/sweep-lapsed-redemptions.js';
import { isFinalForAll } from '../actions/traceless.js';
import type { Context } from '../context.js';
import type { Indexing } from './finality.js';
import type { Tuning } from './tuning.js';

/**
 * Ends what can no longer land: quotes of redemptions, orders and transactions of operators. Deletes quotes that ended
 * 7 days ago. Nothing ends before everything is recorded that the finalized chain carries up to its last block: an
 * indexer that was stopped for a while still has the payments of that time to read.
 */
export class Expiry {
  readonly #ctx: Context;
  readonly #tuning: Pick<Tuning, 'lapseMs'>;
  readonly #indexing: Pick<Indexing, 'seen'>;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(ctx: Context, tuning: Pick<Tuning, 'lapseMs'>, indexing: Pick<Indexing, 'seen'>) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#indexing = indexing;
  }

  /** Rejects when the node or the database fails, after having tried every kind; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    const seen = this.#indexing.seen();
    if (!seen || performance.now() - this.#sweptAtMs < this.#tuning.lapseMs) return;
    this.#sweptAtMs = performance.now();
    // One node alone has said how far the chain is when it listed.
    const hasOthers = this.#ctx.chain.witnesses.length > 1;
    if (hasOthers && !(await isFinalForAll(this.#ctx, seen, signal))) return;
    const sweeps = {
      redemptions: () => sweepLapsedRedemptions(this.#ctx, seen, signal),
      orders: () => sweepExpiredOrders(this.#ctx, seen),
      operator_transactions: () => sweepExpiredOperatorTransactions(this.#ctx, seen, signal),
      lapsed_quotes: () => deleteOldQuotes(this.#ctx, seen, signal),
    };
    let failure: unknown;
    for (const [records, sweep] of Object.entries(sweeps)) {
      signal.throwIfAborted();
      try {
        const ended = await sweep();
        if (ended > 0) this.#ctx.log.info({ records, ended }, 'swept what can no longer land');
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }
}
