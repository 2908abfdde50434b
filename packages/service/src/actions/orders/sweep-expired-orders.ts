import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { expireOrders, findOrdersExpiredBelow } from '../../db/orders/landed-orders.js';
import { orderEvents } from '../../partner-events.js';
import type { FinalizedChain } from '../indexing/traceless.js';

const ordersPerWrite = 256;

/**
 * Ends the orders whose transactions can no longer land; how many. Who signs an order makes its signature, so that no
 * node can report whether it landed: `seen` must be the point up to which the whole finalized chain is recorded.
 * What was executed and could not be read keeps its orders waiting. Any number of processes may do it.
 */
export async function sweepExpiredOrders(ctx: Context, seen: FinalizedChain): Promise<number> {
  let expired = 0;
  for (;;) {
    const ids = await findOrdersExpiredBelow(ctx.db, seen.blockHeight, ordersPerWrite);
    const at = new Date(ctx.clock.now());
    expired += await ctx.db.transaction(async (tx) => {
      const ended = await expireOrders(tx, ids, seen.blockHeight, at);
      await appendEvents(tx, ended.flatMap(orderEvents), at);
      return ended.length;
    });
    if (ids.length < ordersPerWrite) return expired;
  }
}
