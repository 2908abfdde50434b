import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { createVaultTrade } from '../../actions/create-vault-trade.js';
import { getOwnOrder } from '../../actions/get-order.js';
import type { PlacedOrder } from '../../actions/place-order.js';
import type { Settle } from '../../actions/settle-idempotency-key.js';
import type { Context } from '../../context.js';
import { orderStatuses } from '../../domain/order.js';
import { answerOnce } from '../idempotency.js';
import { codes } from '../openapi/conventions.js';
import { choice, Nullable } from '../schemas.js';
import { viewOf } from '../view.js';
import { Envelope, success } from './envelope.js';
import {
  executedParts,
  orderField as field,
  Metadata,
  orderingTrade,
  placedParts,
  recordParts,
} from './order-fields.js';
import { placedColumns, quotedColumns, tradeColumns } from './order-views.js';

const tags = ['Orders'];

const CreatedView = Type.Object({
  purchaseId: Type.String(field.purchaseId),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Type.Number(field.quotedCost),
  maxUsdcAmount: Type.Number(field.maxUsdcAmount),
  quotedGoldPrice: Type.Number(field.quotedGoldPrice),
  ...placedParts,
});
const PurchaseView = Type.Object({
  purchaseId: Type.String(field.purchaseId),
  status: choice(orderStatuses, field.status),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Nullable(Type.Number(), field.quotedCost),
  maxUsdcAmount: Type.Number(field.maxUsdcAmount),
  quotedGoldPrice: Nullable(Type.Number(), field.quotedGoldPrice),
  ...executedParts(field.executedCost),
  ...recordParts,
});
const createdView = viewOf(CreatedView);
const purchaseView = viewOf(PurchaseView);

const createSchema = {
  operationId: 'createPurchase',
  tags,
  summary: 'Buy gold for the vault',
  description:
    'Quotes the purchase and returns the transaction that the calling executive signs. The central vault pays the USDC, which it has to hold, and gets the GOLD.',
  errors: codes(
    'onchain_config_missing',
    'max_usdc_exceeded',
    'insufficient_reserve',
    'partner_suspended',
    'pricing_unavailable',
  ),
  body: Type.Object({
    goldAmount: Type.Number(field.goldAmount),
    maxUsdcAmount: Type.Number(field.maxUsdcAmount),
    metadata: Metadata,
  }),
  response: { 201: Envelope(CreatedView) },
};

const getSchema = {
  operationId: 'getPurchase',
  tags,
  summary: 'Get a purchase',
  description: 'The record and its status, which the chain alone moves.',
  errors: codes('purchase_not_found', 'partner_mismatch'),
  params: Type.Object({ purchaseId: Type.String(field.purchaseId) }),
  response: { 200: Envelope(PurchaseView) },
};

/** Purchases of gold for a partner's vault: create and get. */
export function purchaseRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/trading/purchases/partner',
      { config: orderingTrade, schema: createSchema },
      async (request, reply) => {
        const { goldAmount, maxUsdcAmount, metadata } = request.body;
        const create = (settle: Settle<PlacedOrder>) =>
          createVaultTrade(
            ctx,
            request.tradebookCaller,
            { side: 'purchase', goldAmount, maxUsdcAmount, metadata },
            settle,
          );
        return answerOnce(reply, 201, create, (placed) =>
          success(
            createdView({
              ...quotedColumns(placed.order),
              ...placedColumns(placed),
              purchaseId: placed.order.id,
              maxUsdcAmount: placed.order.usdcLimit ?? 0n,
            }),
          ),
        );
      },
    );

    app.get(
      '/api/trading/purchases/:purchaseId',
      { config: { auth: 'tradebook' }, schema: getSchema },
      async (request) => {
        const { purchaseId } = request.params;
        const order = await getOwnOrder(ctx.db, request.tradebookCaller, 'purchase', purchaseId);
        return success(
          purchaseView({
            ...tradeColumns(order),
            purchaseId: order.id,
            maxUsdcAmount: order.usdcLimit ?? 0n,
          }),
        );
      },
    );
  };
}
