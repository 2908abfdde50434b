import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { getPartnerPrice } from '../../actions/market/get-partner-price.js';
import type { Context } from '../../context.js';
import { priceNumber } from '../../domain/quote.js';
import { about, field } from '../../views/fields.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { historySchema, readHistory } from '../server/price-history.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

const PriceView = titled('Price', {
  price_per_troy_oz: Type.Number(field.pricePerTroyOz),
  confidence: Type.Number(about('Half the width of the confidence interval of the price, in USD.', 0.8)),
  as_of: Type.String(about('When the price was published.', '2026-03-01T12:00:00.000Z')),
  age_seconds: Type.Integer(about('Seconds since then.', 1)),
  market: choice(
    ['open', 'closed'],
    about('Whether gold is traded; while it is not, other fees apply.', 'open'),
  ),
  fee_bps: Nullable(
    Type.Integer(),
    about('Your fee in basis points in this state of the market; null if you are not set up on chain.', 50),
  ),
  next_change_at: Nullable(
    Type.String(),
    about('When the market opens or closes next; null if no change is known.', '2026-03-01T22:00:00.000Z'),
  ),
});
const priceView = viewOf(PriceView);

const priceRoute = route(reading, {
  operationId: 'getPrice',
  summary: 'Get the price',
  description:
    'Returns the price that quotes are made at now. When there is none, the response is 503 `pricing_unavailable`, as for a quote; but a market that is closed to trading still returns its last price.',
  errors: codes('pricing_unavailable'),
  response: { 200: PriceView },
});

const historyRoute = route(reading, historySchema);

/** The price of gold, now and in the past. */
export function priceRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Prices');
    app.get('/v1/price', priceRoute, async ({ principal }) => {
      const { price, at, ageSeconds, market, feeBps, nextChangeAt } = await getPartnerPrice(ctx, principal);
      return priceView({
        pricePerTroyOz: priceNumber(price),
        confidence: priceNumber({ ...price, price: price.confidence }),
        asOf: at,
        ageSeconds,
        market,
        feeBps: feeBps ?? null,
        nextChangeAt: nextChangeAt ?? null,
      });
    });

    app.get('/v1/price/history', historyRoute, ({ query }) => readHistory(ctx, query));
  };
}
