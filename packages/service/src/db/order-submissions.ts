import { eq, sql } from 'drizzle-orm';
import type { Uuid } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { type Order, orders } from './orders.js';
import { partners } from './partners.js';

export interface OrderToSubmit {
  order: Order;
  partnerStatus: 'active' | 'suspended';
}

/** Returns an order with the status of its partner. */
export async function findOrderToSubmit(db: Db | Tx, id: Uuid): Promise<OrderToSubmit | undefined> {
  const [found] = await db
    .select({ order: orders, partnerStatus: partners.status })
    .from(orders)
    .innerJoin(partners, eq(partners.id, orders.partnerId))
    .where(eq(orders.id, id));
  return found;
}

/** Keeps an order waiting until nothing can land any more that is sent for it now. */
export async function prolongOrder(tx: Tx, id: Uuid, lastValidBlockHeight: bigint): Promise<void> {
  const later = sql`greatest(${orders.lastValidBlockHeight}, ${lastValidBlockHeight.toString()}::numeric)`;
  await tx.update(orders).set({ lastValidBlockHeight: later }).where(eq(orders.id, id));
}
