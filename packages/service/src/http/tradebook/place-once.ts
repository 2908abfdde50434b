import type { FastifyReply } from 'fastify';
import { type PlacedOrder, placeOrder } from '../../actions/orders/place-order.js';
import type { Context } from '../../context.js';
import { completeOnce } from '../server/idempotency.js';
import { logOf } from '../server/request-log.js';

/** Writes an order down once it is drafted, and responds with its view. */
export async function placeOnce<View extends Record<string, unknown>>(
  ctx: Context,
  reply: FastifyReply,
  drafting: Promise<PlacedOrder>,
  toView: (placed: PlacedOrder) => View,
  status = 201,
): Promise<View> {
  const placed = await drafting;
  logOf(reply.request).note({ order_id: placed.order.id });
  return ctx.db.transaction(async (tx) => {
    await placeOrder(tx, placed);
    return completeOnce(tx, reply, status, toView(placed));
  });
}
