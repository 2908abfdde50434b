import { and, eq, sql } from 'drizzle-orm';
import type { Uuid } from '../domain/ids.js';
import type { Tx } from './client.js';
import { type Order, orders } from './orders.js';
import { partners } from './partners.js';

/** A transaction that is about to be sent for an order. */
export interface OrderClaim {
  /** Base58. */
  signature: string;
  /** It cannot land above this block height. */
  lastValidBlockHeight: bigint;
}

export interface ClaimableOrder {
  order: Order;
  partnerStatus: 'active' | 'suspended';
}

/** Returns an order, held as it is until the transaction ends, with the status of its partner. */
export async function findOrderForClaim(tx: Tx, id: Uuid): Promise<ClaimableOrder | undefined> {
  const [found] = await tx
    .select({ order: orders, partnerStatus: partners.status })
    .from(orders)
    .innerJoin(partners, eq(partners.id, orders.partnerId))
    .where(eq(orders.id, id))
    .for('update', { of: orders });
  return found;
}

/** Claims an order that is held and free for a transaction, or counts one more sending of the transaction that has it. */
export async function claimOrder(tx: Tx, id: Uuid, claim: OrderClaim): Promise<void> {
  const { signature, lastValidBlockHeight } = claim;
  await tx
    .update(orders)
    .set({
      claimSignature: signature,
      claimLastValidBlockHeight: sql`greatest(${orders.claimLastValidBlockHeight}, ${lastValidBlockHeight.toString()}::numeric)`,
      claimSends: sql`${orders.claimSends} + 1`,
    })
    .where(eq(orders.id, id));
}

/** Takes one sending back, because the node refused it; the last one frees the order. */
export async function releaseOrderClaim(tx: Tx, id: Uuid, signature: string): Promise<void> {
  const last = sql`${orders.claimSends} = 1`;
  await tx
    .update(orders)
    .set({
      claimSignature: sql`case when not ${last} then ${orders.claimSignature} end`,
      claimLastValidBlockHeight: sql`case when not ${last} then ${orders.claimLastValidBlockHeight} end`,
      claimSends: sql`${orders.claimSends} - 1`,
    })
    .where(and(eq(orders.id, id), eq(orders.claimSignature, signature)));
}
