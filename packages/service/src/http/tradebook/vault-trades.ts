import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { draftVaultTrade, type VaultTradeInput } from '../../actions/orders/draft-vault-trade.js';
import { getOwnOrder } from '../../actions/orders/get-order.js';
import type { PlacedOrder } from '../../actions/orders/place-order.js';
import type { Context } from '../../context.js';
import { storedPriceOrNull } from '../../domain/quote.js';
import { counted } from '../../metrics/counted.js';
import { orderField as field, Metadata, placedParts } from '../../views/order-fields.js';
import { commonColumns, Purchase, Sale, toPurchaseView, toSaleView } from '../../views/order-view.js';
import { titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { Envelope, success } from './envelope.js';
import { placedColumns } from './order-views.js';
import { placeOnce } from './place-once.js';
import { reading } from './settings.js';

const ordering = { auth: 'tradebook', scope: ['PARTNER_EXECUTIVE_AUTHORITY'], idempotent: true } as const;

const CreatedPurchase = titled('CreatedPurchase', {
  purchaseId: Type.String(field.purchaseId),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Type.Number(field.quotedCost),
  maxUsdcAmount: Type.Number(field.maxUsdcAmount),
  quotedGoldPrice: Type.Number(field.quotedGoldPrice),
  ...placedParts,
});
const CreatedSale = titled('CreatedSale', {
  sellId: Type.String(field.sellId),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Type.Number(field.quotedProceeds),
  minimumUsdcAmount: Type.Number(field.minimumUsdcAmount),
  quotedGoldPrice: Type.Number(field.quotedGoldPrice),
  ...placedParts,
});

const orderErrors = codes(
  'onchain_config_missing',
  'insufficient_reserve',
  'partner_suspended',
  'wallet_not_allowed',
  'pricing_unavailable',
);

const createPurchaseRoute = route(ordering, {
  operationId: 'createPurchase',
  summary: 'Buy gold for the vault',
  description:
    'Quotes the purchase and returns the transaction that the calling executive signs. The central vault must hold the USDC; it pays it and receives the GOLD.',
  errors: codes('max_usdc_exceeded', ...orderErrors),
  body: Type.Object({
    goldAmount: Type.Number(field.goldAmount),
    maxUsdcAmount: Type.Number(field.maxUsdcAmount),
    metadata: Metadata,
  }),
  response: { 201: Envelope(CreatedPurchase) },
});

const createSaleRoute = route(ordering, {
  operationId: 'createSale',
  summary: 'Sell gold from the vault',
  description:
    'Quotes the sale and returns the transaction that the calling executive signs. The central vault must hold the GOLD; it pays it and receives the USDC.',
  errors: codes('minimum_usdc_not_met', ...orderErrors),
  body: Type.Object({
    goldAmount: Type.Number(field.goldAmount),
    minimumUsdcAmount: Type.Number(field.minimumUsdcAmount),
    metadata: Metadata,
  }),
  response: { 201: Envelope(CreatedSale) },
});

const description = 'Returns the record and its status, which only the chain changes.';

const getPurchaseRoute = route(reading, {
  operationId: 'getPurchase',
  summary: 'Get a purchase',
  description,
  errors: codes('purchase_not_found', 'partner_mismatch'),
  params: Type.Object({ purchaseId: Type.String(field.purchaseId) }),
  response: { 200: Envelope(Purchase) },
});

const getSaleRoute = route(reading, {
  operationId: 'getSale',
  summary: 'Get a sale',
  description,
  errors: codes('sale_not_found', 'partner_mismatch'),
  params: Type.Object({ sellId: Type.String(field.sellId) }),
  response: { 200: Envelope(Sale) },
});

/** Purchases of gold for a partner's vault, and sales out of it: create and get. */
export function vaultTradeRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  /** Responds with the order that `body` requests, as `view` shows it. */
  const create = <View>(
    reply: FastifyReply,
    body: VaultTradeInput,
    view: (columns: ReturnType<typeof createdColumns>) => View,
  ) => {
    const drafting = draftVaultTrade(ctx, reply.request.tradebookCaller, body);
    const toView = (placed: PlacedOrder) => success(view(createdColumns(placed)));
    return counted(ctx.metrics.orders, body.side, placeOnce(ctx, reply, drafting, toView));
  };

  return async (app) => {
    tagRoutes(app, 'Orders');
    app.post('/api/trading/purchases/partner', createPurchaseRoute, (request, reply) =>
      create(reply, { ...request.body, side: 'purchase' }, createdPurchase),
    );

    app.get('/api/trading/purchases/:purchaseId', getPurchaseRoute, async ({ tradebookCaller, params }) => {
      const order = await getOwnOrder(ctx.db, tradebookCaller, 'purchase', params.purchaseId);
      return success(toPurchaseView(order));
    });

    app.post('/api/trading/sales/partner', createSaleRoute, (request, reply) =>
      create(reply, { ...request.body, side: 'sale' }, createdSale),
    );

    app.get('/api/trading/sales/:sellId', getSaleRoute, async ({ tradebookCaller, params }) => {
      const order = await getOwnOrder(ctx.db, tradebookCaller, 'sale', params.sellId);
      return success(toSaleView(order));
    });
  };
}

const createdPurchase = viewOf(CreatedPurchase);
const createdSale = viewOf(CreatedSale);

function createdColumns(placed: PlacedOrder) {
  const { id, goldAmount = null, usdcAmount, usdcLimit = null, quotedPrice = null } = placed.order;
  return {
    ...commonColumns({ id, goldAmount, usdcLimit }),
    ...placedColumns(placed),
    quoteUsdcAmount: usdcAmount ?? 0n,
    quotedGoldPrice: storedPriceOrNull(quotedPrice) ?? 0,
  };
}
