import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { partnerOf } from '../../actions/orders/place-order.js';
import { quoteVaultTrade } from '../../actions/orders/quote-vault-trade.js';
import type { Context } from '../../context.js';
import { amountNumber } from '../../domain/money.js';
import { priceNumber, priceText } from '../../domain/quote.js';
import { momentOf } from '../../domain/timestamp.js';
import { field, gold, usdc } from '../../views/tradebook-fields.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { DataEnvelope, success } from './envelope.js';

const open = { auth: 'none', limit: 'price' } as const;

const priceRoute = route(open, {
  operationId: 'getGoldPrice',
  summary: 'Get the gold price',
  description: 'Returns the price that trades execute at, from the oracle on chain.',
  errors: codes('pricing_unavailable'),
  response: {
    200: DataEnvelope({
      price: Type.String(field.priceText),
      unit: Type.Literal('troy_ounce'),
      currency: Type.Literal('USD'),
      timestamp: Type.String(field.pricePublishedAt),
    }),
  },
});

const estimateParts = {
  errors: codes('onchain_config_missing', 'pricing_unavailable'),
  body: Type.Object({
    goldAmount: Type.Number(gold('More than 0, at most 6 decimals.', 1.5)),
  }),
};

const estimateView = (usdcMeaning: string, example: number) => ({
  200: DataEnvelope({
    goldAmount: Type.Number(gold('As requested.', 1.5)),
    estimatedUsdcAmount: Type.Number(usdc(usdcMeaning, example)),
    goldPricePerOunce: Type.Number(field.goldPricePerOunce),
    timestamp: Type.String(field.estimatedAt),
  }),
});

const buySchema = {
  ...estimateParts,
  operationId: 'estimatePurchase',
  summary: 'Estimate a purchase',
  description:
    'Returns what a purchase for the central vault would cost now, fee included, rounded up. Reserves nothing, and does not check the balance of the vault.',
  response: estimateView('Amount that the vault would pay, fee included.', 6181.085428),
};

const sellSchema = {
  ...estimateParts,
  operationId: 'estimateSale',
  summary: 'Estimate a sale',
  description:
    'Returns what a sale out of the central vault would bring now, after the fee, rounded down. Reserves nothing, and does not check the balance of the vault.',
  response: estimateView('Amount that the vault would receive, after the fee.', 6119.4291),
};

/** The public gold price, and estimates for executives. */
export function priceRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Prices');
    app.get('/api/trading/gold/price', priceRoute, async () => {
      const price = ctx.chain.price.current();
      return success({
        price: priceText(price),
        unit: 'troy_ounce' as const,
        currency: 'USD' as const,
        timestamp: momentOf(price.publishTimeSeconds).toISOString(),
      });
    });

    const config = { auth: 'tradebook', scope: ['PARTNER_EXECUTIVE_AUTHORITY'] } as const;
    for (const [path, side, schema] of [
      ['buy', 'purchase', buySchema],
      ['sell', 'sale', sellSchema],
    ] as const) {
      app.post(
        `/api/trading/estimate/${path}`,
        { config, schema },
        async ({ tradebookCaller, body: { goldAmount } }) => {
          const quote = quoteVaultTrade(ctx, partnerOf(tradebookCaller), side, goldAmount);
          return success({
            goldAmount: amountNumber(quote.gold),
            estimatedUsdcAmount: amountNumber(quote.usdc),
            goldPricePerOunce: priceNumber(quote.price),
            timestamp: new Date(ctx.clock.now()).toISOString(),
          });
        },
      );
    }
  };
}
