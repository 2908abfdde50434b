import type { PlacedOrder } from '../../actions/orders/place-order.js';
import type { OrderKind } from '../../domain/order.js';

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
