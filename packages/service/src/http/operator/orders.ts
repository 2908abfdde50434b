import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findOrder, findOrders, type SeenOrder } from '../../db/orders/orders.js';
import { asUuid } from '../../domain/ids.js';
import { orderKinds, orderStatuses, vaultTokens } from '../../domain/order.js';
import { storedPriceOrNull } from '../../domain/quote.js';
import { AppError } from '../../errors.js';
import { failureNames, failureNamesOf } from '../../views/failure-view.js';
import { choice, freeObject, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { filterBy } from '../server/lists.js';
import { route } from '../server/route.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { orderField as field } from './order-fields.js';
import { recordField } from './record-fields.js';
import { read } from './shapes.js';

const OrderView = titled('Order', {
  id: Type.String(field.orderId),
  kind: choice(orderKinds, field.orderKind),
  status: choice(orderStatuses, field.orderStatus),
  partner_id: Type.String(recordField.partnerId),
  key_id: Nullable(Type.String(), field.orderKeyId),
  signer: Type.String(field.orderSigner),
  destination: Nullable(Type.String(), field.orderDestination),
  token: Nullable(choice(vaultTokens), field.orderToken),
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
  final: Type.Boolean(recordField.final),
  failure_reason: Nullable(Type.String(), recordField.failureReason),
  reason: failureNames.reason,
  program_error_name: failureNames.programErrorName,
  expires_at: Nullable(Type.String(), field.orderExpiresAt),
  created_at: Type.String(recordField.createdAt),
  updated_at: Type.String(recordField.updatedAt),
});

const listRoute = route(read, {
  operationId: 'listOrders',
  summary: 'List the orders of partners',
  description:
    'Lists purchases, sales, withdrawals and changes of executive authorities, of all partners, newest first, including those that reached the chain without the service. A filter for an unknown value gives an empty list.',
  querystring: listQuery({
    q: searchFor('beginning of an id, transaction or signer', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'),

    partner_id: Type.String(recordField.ofPartner),
    kind: choice(orderKinds, { ...field.orderKind, description: 'Only those of this kind.' }),
    status: choice(orderStatuses, { ...field.orderStatus, description: 'Only those with this status.' }),
  }),
  response: { 200: countedPageOf('orders', OrderView) },
});

const getRoute = route(read, {
  operationId: 'getOrder',
  summary: 'Get an order',
  description: 'Returns what a partner requested, and what happened on chain.',
  errors: codes('not_found'),
  params: Type.Object({ id: Type.String(field.orderId) }),
  response: { 200: OrderView },
});

export function orderRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Records');
    app.get('/orders', listRoute, async ({ query }) => {
      const { partner_id: partner, kind, status } = query;
      const { rows, ...end } = await readList(
        query,
        asUuid,
        (page) => findOrders(ctx.db, { partnerId: filterBy(partner, asUuid), kind, status }, page),
        'orders',
      );
      return { orders: rows.map(toOrderView), ...endOf(end) };
    });

    app.get('/orders/:id', getRoute, async ({ params }) => {
      const id = asUuid(params.id);
      const order = id && (await findOrder(ctx.db, id));
      if (!order) throw new AppError('not_found', 'There is no order with this id.');
      return toOrderView(order);
    });
  };
}

const orderView = viewOf(OrderView);

function toOrderView(order: SeenOrder) {
  return orderView({
    ...order,
    quotedPrice: storedPriceOrNull(order.quotedPrice),
    added: order.added ?? [],
    removed: order.removed ?? [],
    txHash: order.txSignature,
    executedPrice: storedPriceOrNull(order.executedPrice),
    feeUsdc: order.feeUsdc,
    final: order.finalized,
    ...failureNamesOf(order),
  });
}
