import { and, asc, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Uuid } from '../../domain/ids.js';
import { orderMove } from '../../domain/order.js';
import type { Address, TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { canLandNoMore, type Ends, isComplete } from '../ended.js';
import type { Failure } from '../failure.js';
import { deadLetters } from '../indexing/dead-letters.js';
import { holdUnfinalized } from '../indexing/finality.js';
import { changeRow, findRow, insertNew } from '../rows.js';
import { type Order, openOrder, orders } from './orders.js';

/** What the chain's transaction makes of an order. */
export type OrderLanding = { status: 'confirmed' | 'failed'; txSignature: TxSignature; slot: bigint } & Pick<
  Order,
  'executedGold' | 'executedUsdc' | 'feeUsdc' | 'executedPrice' | 'eventSeq' | keyof Failure
>;

/** A movement that reached the chain without the service. */
export type LandedOrder = OrderLanding &
  Pick<Order, 'id' | 'kind' | 'partnerId' | 'signer' | 'integrator'> &
  Partial<
    Pick<
      Order,
      | 'destination'
      | 'goldAmount'
      | 'usdcAmount'
      | 'usdcLimit'
      | 'treasuryLimit'
      | 'token'
      | 'added'
      | 'removed'
      | 'maxFeeBps'
    >
  >;

/** The order whose execution made an event. */
export const findOrderByEvent = (db: Db | Tx, partnerId: Uuid, eventSeq: bigint) =>
  findRow(db, orders, and(eq(orders.partnerId, partnerId), eq(orders.eventSeq, eventSeq)));

/** Returns the change of executives that waits and has the same lists; of several the newest. */
export async function findExecutiveUpdate(
  db: Db | Tx,
  wanted: { integrator: Address; signer: Address; added: Address[]; removed: Address[] },
): Promise<Order | undefined> {
  const { kind, integrator, signer, added, removed, createdAt } = orders;
  const same = [
    eq(integrator, wanted.integrator),
    eq(signer, wanted.signer),
    eq(added, wanted.added),
    eq(removed, wanted.removed),
  ];
  const [order] = await db
    .select()
    .from(orders)
    .where(and(eq(kind, 'executive_update'), openOrder(orders), ...same))
    .orderBy(desc(createdAt), desc(orders.id))
    .limit(1);
  return order;
}

/** Writes down what the chain makes of an order; false if its status does not allow it. */
export async function landOrder(tx: Tx, id: Uuid, landing: OrderLanding, at: Date): Promise<boolean> {
  const { from } = orderMove(landing.status === 'confirmed' ? 'execute' : 'fail');
  const changes = { ...landing, updatedAt: at };
  return changeRow(tx, orders, changes, and(eq(orders.id, id), inArray(orders.status, from)));
}

/** Writes a movement that has no order; false when its id or its event number is taken. */
export async function insertLandedOrder(tx: Tx, order: LandedOrder, at: Date): Promise<boolean> {
  return insertNew(tx, orders, { ...order, createdAt: at, updatedAt: at });
}

export type RecordedOrder = Order & { txSignature: TxSignature; slot: bigint };

/** Returns an order of which the chain has a transaction; undefined while it has none. */
export async function findRecordedOrder(db: Db | Tx, id: Uuid): Promise<RecordedOrder | undefined> {
  const order = await findRow(db, orders, and(eq(orders.id, id), isNotNull(orders.slot)));
  return order as RecordedOrder | undefined;
}

/**
 * Takes back what an order's transaction made of it, because the chain does not carry that after all: an order of the
 * service waits again, a movement without one is gone. False when it is final or was taken back already.
 */
export async function takeBackOrder(tx: Tx, order: RecordedOrder, at: Date): Promise<boolean> {
  if (!(await holdUnfinalized(tx, 'order', order))) return false;
  const { from, to } = orderMove('revert');
  const same = and(
    eq(orders.id, order.id),
    eq(orders.txSignature, order.txSignature),
    inArray(orders.status, from),
  );
  const nothing = { executedGold: null, executedUsdc: null, feeUsdc: null, executedPrice: null };
  const { count } =
    order.lastValidBlockHeight === null
      ? await tx.delete(orders).where(same)
      : await tx
          .update(orders)
          .set({
            ...nothing,
            status: to,
            txSignature: null,
            slot: null,
            eventSeq: null,
            updatedAt: at,
          })
          .where(same);
  return count === 1;
}

/**
 * Returns orders that wait and whose transactions can land no more, oldest first; without those that a transaction names
 * that was executed and could not be read.
 */
export async function findEndedOrders(
  db: Db | Tx,
  ends: Ends,
  limit: number,
): Promise<Pick<Order, 'id' | 'partnerId'>[]> {
  const unread = db
    .select({ one: sql`1` })
    .from(deadLetters)
    .where(
      and(isNull(deadLetters.resolvedAt), sql`${deadLetters.detail} -> 'unread_orders' ? ${orders.id}::text`),
    );
  return db
    .select({ id: orders.id, partnerId: orders.partnerId })
    .from(orders)
    .where(and(hasEnded(ends), sql`not exists ${unread}`))
    .orderBy(asc(orders.lastValidBlockHeight), asc(orders.id))
    .limit(limit);
}

/** Condition: the order waits, and nothing that was built or sent for it can land any more. */
function hasEnded(ends: Ends): SQL | undefined {
  return and(openOrder(orders), canLandNoMore(orders, ends), isComplete(orders.partnerId, ends));
}

/**
 * Ends orders whose transactions can land no more, and returns them: those for which nothing was sent meanwhile that can
 * still land.
 */
export async function expireOrders(tx: Tx, ids: Uuid[], ends: Ends, at: Date): Promise<Order[]> {
  if (ids.length === 0) return [];
  return tx
    .update(orders)
    .set({ status: orderMove('expire').to, updatedAt: at })
    .where(and(inArray(orders.id, ids), hasEnded(ends)))
    .returning();
}
