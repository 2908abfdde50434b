import type { PlacedOrder } from '../../actions/place-order.js';
import type { Order } from '../../db/orders.js';
import type { OrderKind } from '../../domain/order.js';
import { storedPriceOrNull } from '../../domain/quote.js';

/** What callers know the signing roles by. */
const walletTypes: Record<OrderKind, string> = {
  purchase: 'PARTNER_AUTHORITY',
  sale: 'PARTNER_AUTHORITY',
  withdrawal: 'withdrawal_authority',
  executive_update: 'update_authority',
};

/** The transaction of a new order with its signing instructions. */
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

/** What a new purchase or sale is quoted at. */
export function quotedColumns({ goldAmount, usdcAmount, quotedPrice }: PlacedOrder['order']) {
  return {
    goldAmount: goldAmount ?? 0n,
    quoteUsdcAmount: usdcAmount ?? 0n,
    quotedGoldPrice: storedPriceOrNull(quotedPrice) ?? 0,
  };
}

/** What the record of a purchase or sale needs beyond its kind. */
export function tradeColumns(order: Order) {
  return {
    ...order,
    goldAmount: order.goldAmount ?? 0n,
    quoteUsdcAmount: order.usdcAmount,
    quotedGoldPrice: storedPriceOrNull(order.quotedPrice),
    executedGoldAmount: order.executedGold,
    executedUsdcAmount: order.executedUsdc,
    executedGoldPrice: storedPriceOrNull(order.executedPrice),
    feeUsdcAmount: order.feeUsdc,
    signature: order.txSignature,
  };
}
