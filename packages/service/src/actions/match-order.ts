import type { OrderCall } from '../chain/order-call.js';
import type { Order } from '../db/orders.js';

/**
 * Whether a call of the program is the very one that an order was built for: its accounts and its amounts, whatever the
 * memo beside it says.
 */
export function carriesOut(order: Order, call: OrderCall): boolean {
  if (order.kind !== call.kind || order.signer !== call.signer || order.integrator !== call.integrator) {
    return false;
  }
  switch (call.kind) {
    case 'purchase':
    case 'sale':
      return (
        call.goldAmount === order.goldAmount &&
        call.usdcLimit === order.usdcLimit &&
        call.maxFeeBps === order.maxFeeBps
      );
    case 'withdrawal':
      // The destination is the token account of one wallet for one mint, so that it stands for the token too.
      return (
        call.destination === order.destination &&
        call.amount === (order.token === 'gold' ? order.goldAmount : order.usdcAmount)
      );
    case 'executive_update':
      return sameList(call.added, order.added) && sameList(call.removed, order.removed);
  }
}

function sameList(a: readonly string[], b: readonly string[] | null): boolean {
  return b !== null && a.length === b.length && a.every((item, index) => item === b[index]);
}
