import type { Db, Tx } from '../../db/client.js';
import { findOrder, type Order } from '../../db/orders/orders.js';
import { asUuid } from '../../domain/ids.js';
import type { OrderKind } from '../../domain/order.js';
import { requireOwn } from '../../domain/ownership.js';
import type { TradebookCaller } from '../../domain/principal.js';
import { AppError, type ErrorCode } from '../../errors.js';

/** Kinds of orders that can be read one by one. */
export type ReadableKind = Exclude<OrderKind, 'executive_update'>;

const unknown = {
  purchase: 'purchase_not_found',
  sale: 'sale_not_found',
  withdrawal: 'withdrawal_not_found',
} as const satisfies Record<ReadableKind, ErrorCode>;

/**
 * Returns an order of the caller's partner. Throws `purchase_not_found` and the like for an unknown id, a malformed one
 * and that of an order of another kind, and `partner_mismatch`.
 */
export async function getOwnOrder(
  db: Db | Tx,
  caller: TradebookCaller,
  kind: ReadableKind,
  text: string,
): Promise<Order> {
  const id = asUuid(text);
  const order = id && (await findOrder(db, id));
  if (order?.kind !== kind) throw new AppError(unknown[kind], `There is no ${kind} with this id.`);
  requireOwn(caller, order, kind);
  return order;
}
