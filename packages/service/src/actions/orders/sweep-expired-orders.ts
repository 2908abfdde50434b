import { findReceiptPda } from '@karat/program-client';
import { agreedAccounts } from '../../chain/node/agreed.js';
import type { Context } from '../../context.js';
import type { Ends } from '../../db/ended.js';
import { appendEvents } from '../../db/events/events.js';
import { expireOrders, findEndedOrders } from '../../db/orders/landed-orders.js';
import { type Uuid, uuidBytes } from '../../domain/ids.js';
import { orderEvents } from '../../events/partner-events.js';

const ordersPerWrite = 256;

/**
 * Ends the orders whose transactions can no longer land; how many. Who signs an order makes its signature, so that no
 * node can report whether it landed: the partner's own event numbers show that it was not executed, and that there is no receipt of
 * it, which the program keeps for an hour at least. What was executed and could not be read keeps its orders waiting. Any number of
 * processes may do it. Throws `service_unavailable` when too few nodes respond, or they contradict each other.
 */
export async function sweepExpiredOrders(ctx: Context, ends: Ends, signal: AbortSignal): Promise<number> {
  for (let expired = 0; ; ) {
    const found = await findEndedOrders(ctx.db, ends, ordersPerWrite);
    const open = await withoutReceipt(ctx, found, signal);
    const at = new Date(ctx.clock.now());
    const ended = await ctx.db.transaction(async (tx) => {
      const orders = await expireOrders(tx, open, ends, at);
      await appendEvents(tx, orders.flatMap(orderEvents), at);
      return orders.length;
    });
    expired += ended;
    if (ended === 0 || found.length < ordersPerWrite) return expired;
  }
}

/** Returns those of some orders that the program has not executed, by all nodes that respond. */
async function withoutReceipt(
  { chain }: Context,
  orders: readonly { id: Uuid; partnerId: Uuid }[],
  signal: AbortSignal,
): Promise<Uuid[]> {
  const { program, programAddress } = chain;
  const pdas = await Promise.all(
    orders.map(async ({ id, partnerId }) => {
      const integrator = await program.integratorAddress(partnerId);
      return findReceiptPda({ integrator, id: uuidBytes(id) }, { programAddress });
    }),
  );
  const receipts = await agreedAccounts(
    chain,
    pdas.map(([receipt]) => receipt),
    signal,
  );
  return orders.flatMap(({ id }, index) => (receipts[index] === undefined ? [id] : []));
}
