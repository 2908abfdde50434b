import type { PlacedOrder } from '../../actions/orders/place-order.js';
import type { OrderKind } from '../../domain/order.js';
import type { StoredQuote } from '../server/idempotency.js';

/** What callers know the signing roles by. */
const walletTypes: Record<OrderKind, string> = {
  purchase: 'PARTNER_AUTHORITY',
  sale: 'PARTNER_AUTHORITY',
  withdrawal: 'withdrawal_authority',
  executive_update: 'update_authority',
};

export function toTransactionView({ order, transaction, expiresAt }: PlacedOrder) {
  return {
    serializedTx: Buffer.from(transaction).toString('base64'),
    signingInstructions: {
      walletType: walletTypes[order.kind],
      signers: [order.signer],
      expiresAt: expiresAt.toISOString(),
    },
  };
}

/** What a response to a new order needs beyond its kind. */
export function placedColumns(placed: PlacedOrder) {
  return {
    status: 'pending_signature' as const,
    transaction: toTransactionView(placed),
    createdAt: placed.order.createdAt,
  };
}

/** A response to a new order, as it was stored. */
interface StoredOrder {
  data: Record<string, unknown> & { transaction: ReturnType<typeof toTransactionView> };
}

/** Returns what a route's responses are quotes of: orders that are read at `path`, below it by their `idField` if they have one. */
export function quotesOrders(path: string, idField?: string) {
  return (response: Record<string, unknown>): StoredQuote => {
    const { data } = response as unknown as StoredOrder;
    const { expiresAt } = data.transaction.signingInstructions;
    return { name: 'an order', path: idField === undefined ? path : `${path}/${data[idField]}`, expiresAt };
  };
}
