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
  sellId: Type.String(field.sellId),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Type.Number(field.quotedProceeds),
  minimumUsdcAmount: Type.Number(field.minimumUsdcAmount),
  quotedGoldPrice: Type.Number(field.quotedGoldPrice),
  ...placedParts,
});
const SaleView = Type.Object({
  sellId: Type.String(field.sellId),
  status: choice(orderStatuses, field.status),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Nullable(Type.Number(), field.quotedProceeds),
  minimumUsdcAmount: Type.Number(field.minimumUsdcAmount),
  quotedGoldPrice: Nullable(Type.Number(), field.quotedGoldPrice),
  ...executedParts(field.executedProceeds),
  ...recordParts,
});
const createdView = viewOf(CreatedView);
const saleView = viewOf(SaleView);

const createSchema = {
  operationId: 'createSale',
  tags,
  summary: 'Sell gold of the vault',
  description:
    'Quotes the sale and returns the transaction that the calling executive signs. The central vault gives the GOLD, which it has to hold, and gets the USDC.',
  errors: codes(
    'onchain_config_missing',
    'minimum_usdc_not_met',
    'insufficient_reserve',
    'partner_suspended',
    'pricing_unavailable',
  ),
  body: Type.Object({
    goldAmount: Type.Number(field.goldAmount),
    minimumUsdcAmount: Type.Number(field.minimumUsdcAmount),
    metadata: Metadata,
  }),
  response: { 201: Envelope(CreatedView) },
};

const getSchema = {
  operationId: 'getSale',
  tags,
  summary: 'Get a sale',
  description: 'The record and its status, which the chain alone moves.',
  errors: codes('sale_not_found', 'partner_mismatch'),
  params: Type.Object({ sellId: Type.String(field.sellId) }),
  response: { 200: Envelope(SaleView) },
};

/** Sales of gold of a partner's vault: create and get. */
export function saleRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/trading/sales/partner',
      { config: orderingTrade, schema: createSchema },
      async (request, reply) => {
        const { goldAmount, minimumUsdcAmount, metadata } = request.body;
        const create = (settle: Settle<PlacedOrder>) =>
          createVaultTrade(
            ctx,
            request.tradebookCaller,
            { side: 'sale', goldAmount, minimumUsdcAmount, metadata },
            settle,
          );
        return answerOnce(reply, 201, create, (placed) =>
          success(
            createdView({
              ...quotedColumns(placed.order),
              ...placedColumns(placed),
              sellId: placed.order.id,
              minimumUsdcAmount: placed.order.usdcLimit ?? 0n,
            }),
          ),
        );
      },
    );

    app.get(
      '/api/trading/sales/:sellId',
      { config: { auth: 'tradebook' }, schema: getSchema },
      async (request) => {
        const { sellId } = request.params;
        const order = await getOwnOrder(ctx.db, request.tradebookCaller, 'sale', sellId);
        return success(
          saleView({ ...tradeColumns(order), sellId: order.id, minimumUsdcAmount: order.usdcLimit ?? 0n }),
        );
      },
    );
  };
}
