import { Type } from '@fastify/type-provider-typebox';
import type { SeenOrder } from '../db/orders/orders.js';
import { orderKinds, orderStatuses } from '../domain/order.js';
import { storedPriceOrNull } from '../domain/quote.js';
import { failureNames, failureNamesOf } from './failure-view.js';
import { orderRecordField as field } from './order-record-fields.js';
import { choice, freeObject, Nullable, titled } from './schemas.js';
import { viewOf } from './view.js';

const properties = {
  id: Type.String(field.orderId),
  kind: choice(orderKinds, field.orderKind),
  status: choice(orderStatuses, field.orderStatus),
  key_id: Nullable(Type.String(), field.orderKeyId),
  signer: Type.String(field.orderSigner),
  destination: Nullable(Type.String(), field.orderDestination),
  token: Nullable(Type.String(), field.orderToken),
  gold_amount: Nullable(Type.Number(), field.orderGold),
  usdc_amount: Nullable(Type.Number(), field.orderUsdc),
  usdc_limit: Nullable(Type.Number(), field.orderUsdcLimit),
  quoted_price: Nullable(Type.Number(), field.orderQuotedPrice),
  max_fee_bps: Nullable(Type.Integer(), field.orderMaxFeeBps),
  added: Type.Array(Type.String(field.orderAdded)),
  removed: Type.Array(Type.String(field.orderRemoved)),
  metadata: Nullable(freeObject({ examples: [{ ref: 'restock-7' }] }), field.orderMetadata),
  tx_hash: Nullable(Type.String(), field.orderTxHash),
  slot: Nullable(Type.Integer(), field.orderSlot),
  executed_gold: Nullable(Type.Number(), field.executedGold),
  executed_usdc: Nullable(Type.Number(), field.executedUsdc),
  executed_price: Nullable(Type.Number(), field.executedPrice),
  fee_usdc: Nullable(Type.Number(), field.orderFee),
  final: Type.Boolean(field.final),
  failure_reason: Nullable(Type.String(), field.failureReason),
  reason: failureNames.reason,
  program_error_name: failureNames.programErrorName,
  expires_at: Nullable(Type.String(), field.orderExpiresAt),
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
};

/** Everything that is known of an order of a vault, as its partner sees it. */
export const OrderRecordView = titled('OrderRecord', properties);
const { id, kind, status, ...others } = properties;
/** The same as operators see it. */
export const PartnerOrderView = titled('Order', {
  id,
  kind,
  status,
  partner_id: Type.String(field.partnerId),
  ...others,
});

const view = viewOf(OrderRecordView);
const partnerView = viewOf(PartnerOrderView);

export const toOrderRecordView = (order: SeenOrder) => view(recordOf(order));
export const toPartnerOrderView = (order: SeenOrder) => partnerView(recordOf(order));

function recordOf(order: SeenOrder) {
  return {
    ...order,
    quotedPrice: storedPriceOrNull(order.quotedPrice),
    added: order.added ?? [],
    removed: order.removed ?? [],
    txHash: order.txSignature,
    executedPrice: storedPriceOrNull(order.executedPrice),
    final: order.finalized,
    ...failureNamesOf(order),
  };
}
