import type { PlacedOrder } from '../../actions/place-order.js';
import type { Order } from '../../db/orders.js';
import { amountNumber, parseDecimal } from '../../domain/money.js';
import type { OrderKind } from '../../domain/order.js';
import { priceNumber } from '../../domain/quote.js';

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

/** The last members of the answer to a new order. */
export function toPlacedParts(placed: PlacedOrder) {
  return {
    status: 'pending_signature' as const,
    transaction: toTransactionView(placed),
    createdAt: placed.order.createdAt.toISOString(),
  };
}

/** The last members of the record of an order. */
export function toRecordParts(order: Order) {
  return {
    signer: order.signer,
    signature: order.txSignature,
    failureReason: order.failureReason,
    metadata: order.metadata,
    expiresAt: order.expiresAt?.toISOString() ?? null,
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
  };
}

/** What a purchase or sale came to on chain. */
export function toExecutedParts(order: Order) {
  return {
    executedGoldAmount: amountOrNull(order.executedGold),
    executedUsdcAmount: amountOrNull(order.executedUsdc),
    executedGoldPrice: priceOrNull(order.executedPrice),
    feeUsdcAmount: amountOrNull(order.feeUsdc),
  };
}

/** The JSON number of an amount that an order may lack. */
export function amountOrNull(baseUnits: bigint | null | undefined): number | null {
  return baseUnits == null ? null : amountNumber(baseUnits);
}

/** Decimals of the columns that hold prices. */
const priceColumnDecimals = 12;

/** The JSON number of a price that an order may lack, from the text of its column. */
export function priceOrNull(text: string | null | undefined): number | null {
  if (text == null) return null;
  const price = parseDecimal(text, priceColumnDecimals) ?? 0n;
  return priceNumber({ price, exponent: -priceColumnDecimals });
}
