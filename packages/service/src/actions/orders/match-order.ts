import type { Address } from '@solana/kit';
import type { OrderCall } from '../../chain/inspect/order-call.js';
import type { Order } from '../../db/orders/orders.js';
import type { Uuid } from '../../domain/ids.js';
import { expireAtSecondsOf } from '../../domain/lifetime.js';
import type { VaultToken } from '../../domain/order.js';

/** A call that names an order, or would carry one out that it cannot name. */
export interface OrderClaim {
  call: OrderCall;
  token: VaultToken | null;
  /** Whose vault the program's event names; undefined for a call that was not executed. */
  partnerId?: Uuid | undefined;
}

/**
 * Returns how a call differs from its order. Submitted and landed transactions are checked by the same function, so
 * that nothing is sent under an order's name which would not become it.
 */
export function orderDifferences(order: Order, { call, token, partnerId }: OrderClaim): string[] {
  const same: Record<string, boolean> = {
    call: carriesOut(order, call) && order.token === token,
    partner: partnerId === undefined || partnerId === order.partnerId,
  };
  return Object.keys(same).filter((name) => !same[name]);
}

/** Returns the token that a withdrawal moves, by its mint; null for an unknown mint and for every other call. */
export function tokenOf(
  call: OrderCall,
  mints: { goldMint: Address; usdcMint: Address } | undefined,
): VaultToken | null {
  if (call.kind !== 'withdrawal') return null;
  if (call.mint === mints?.goldMint) return 'gold';
  return call.mint === mints?.usdcMint ? 'usdc' : null;
}

/** Returns whether a call has the accounts, the amounts and the end of an order. */
function carriesOut(order: Order, call: OrderCall): boolean {
  if (order.kind !== call.kind || order.signer !== call.signer || order.integrator !== call.integrator) {
    return false;
  }
  switch (call.kind) {
    case 'purchase':
    case 'sale':
      return (
        isOnce(order, call) &&
        call.goldAmount === order.goldAmount &&
        call.usdcLimit === order.usdcLimit &&
        (order.treasuryLimit === null || call.treasuryLimit === order.treasuryLimit) &&
        call.maxFeeBps === order.maxFeeBps
      );
    case 'withdrawal':
      // The destination is the token account of one wallet for one mint, so that it stands for the token too.
      return (
        isOnce(order, call) &&
        call.destination === order.destination &&
        call.amount === (order.token === 'gold' ? order.goldAmount : order.usdcAmount)
      );
    case 'executive_update':
      return sameList(call.added, order.added) && sameList(call.removed, order.removed);
  }
}

/** Returns whether the program takes a call for an execution of the order, and until when. */
function isOnce(order: Order, call: Exclude<OrderCall, { kind: 'executive_update' }>): boolean {
  const { expiresAt } = order;
  const sameEnd = expiresAt === null || call.expireAtSeconds === expireAtSecondsOf(expiresAt.getTime());
  return call.orderId === order.id && sameEnd;
}

function sameList(a: readonly string[], b: readonly string[] | null): boolean {
  return b !== null && a.length === b.length && a.every((item, index) => item === b[index]);
}
