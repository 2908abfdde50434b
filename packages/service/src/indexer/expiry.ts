import { sweepExpiredOperatorTransactions } from '../actions/approvals/sweep-expired-operator-transactions.js';
import type { RecordLines } from '../actions/indexing/traces.js';
import { sweepExpiredOrders } from '../actions/orders/sweep-expired-orders.js';
import { sweepLapsedRedemptions } from '../actions/redemptions/sweep-lapsed-redemptions.js';
import {
  closeFinalSubmissions,
  sweepExpiredSubmissions,
} from '../actions/trades/sweep-expired-submissions.js';
import type { Context } from '../context.js';
import { findOpenEnds } from '../db/indexing/open-ends.js';
import { configEvents } from '../db/indexing/program-events.js';
import type { Completeness } from './completeness.js';

/**
 * Ends what can no longer land: quotes of redemptions, trades that were sent, orders and transactions of operators. Nothing
 * ends before the program's own numbers show that every event up to the finalized block is recorded, and all nodes that
 * respond say that they have no trace of the transaction where its signature is known.
 */
export class Expiry {
  readonly #ctx: Context;
  readonly #completeness: Pick<Completeness, 'look'>;
  readonly #record: RecordLines;

  constructor(ctx: Context, completeness: Pick<Completeness, 'look'>, record: RecordLines) {
    this.#ctx = ctx;
    this.#completeness = completeness;
    this.#record = record;
  }

  /** Rejects after having tried every kind, when too few nodes respond or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    const { db, clock, log } = this.#ctx;
    const sweeps = new Map<string, () => Promise<number>>();
    const { ends, closes } = await findOpenEnds(db, new Date(clock.now()));
    if (closes) sweeps.set('closed_submissions', () => closeFinalSubmissions(this.#ctx, signal));
    // No node is queried while nothing waits.
    if (ends) {
      const {
        slot: seenSlot,
        blockHeight: height,
        incomplete,
      } = await this.#completeness.look(signal, {
        withHeight: true,
      });
      const bounds = { height, now: new Date(clock.now()), incomplete: [...incomplete] };
      const by = { seenSlot, record: this.#record, signal };
      sweeps.set('trades', () => sweepExpiredSubmissions(this.#ctx, bounds, by));
      sweeps.set('orders', () => sweepExpiredOrders(this.#ctx, bounds, signal));
      // The configuration counts what happens to redemptions and what operators do.
      if (!incomplete.has(configEvents)) {
        sweeps.set('redemptions', () => sweepLapsedRedemptions(this.#ctx, bounds, by));
        sweeps.set('operator_transactions', () => sweepExpiredOperatorTransactions(this.#ctx, bounds, by));
      }
    }
    let failure: unknown;
    for (const [records, sweep] of sweeps) {
      signal.throwIfAborted();
      try {
        const ended = await sweep();
        if (ended > 0) log.info({ records, ended }, 'ended what can no longer land');
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }
}
