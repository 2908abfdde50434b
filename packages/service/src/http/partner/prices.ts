import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { getPartnerPrice } from '../../actions/market/get-partner-price.js';
import type { Context } from '../../context.js';
import { findCandles } from '../../db/market/price-candles.js';
import { candleIntervals, candleStart } from '../../domain/candle.js';
import { priceNumber, storedPriceNumber } from '../../domain/quote.js';
import { about, field } from '../../views/fields.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { readMoment, requireOrder } from '../server/times.js';
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

const CandleView = titled('Candle', {
  at: Type.String(about('Beginning of the candle.', '2026-03-01T12:00:00.000Z')),
  open: Type.Number(about('First price, USD per troy ounce.', 4100.12)),
  high: Type.Number(about('Highest price.', 4103.5)),
  low: Type.Number(about('Lowest price.', 4098.75)),
  close: Type.Number(about('Last price.', 4101.3)),
});

const maxCandles = 1_000;
const interval = choice(
  candleIntervals,
  about('Length of a candle: a minute, an hour or a day of UTC.', '1h'),
);
const time = 'ISO 8601 with an offset.';

const historyRoute = route(reading, {
  operationId: 'listPriceHistory',
  summary: 'List past prices',
  description:
    'Returns candles in the order of time, at most 1,000: the first ones from `from` on, so that the next request can begin behind the last candle; without `from` the latest ones. A changed price is in it within 4 seconds. An interval without a price has no candle. Minutes are kept for 90 days, hours and days for ever.',
  querystring: Type.Partial(
    Type.Object({
      from: Type.String(
        about(`Beginning with the candle that this time lies in. ${time}`, '2026-03-01T00:00:00Z'),
      ),
      to: Type.String(
        about(`Up to the candle that this time lies in; default: now. ${time}`, '2026-03-02T00:00:00Z'),
      ),
      interval: choice(candleIntervals, {
        description: 'Length of a candle: a minute, an hour or a day of UTC; default: `1h`.',
        examples: ['1h'],
      }),
    }),
  ),
  response: { 200: Type.Object({ candles: Type.Array(CandleView), interval }) },
});

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

    app.get('/v1/price/history', historyRoute, async ({ query }) => {
      const length = query.interval ?? '1h';
      const from = readMoment('from', query.from);
      const to = readMoment('to', query.to) ?? new Date(ctx.clock.now());
      requireOrder({ from: 'from', to: 'to' }, from, to);
      const range = { from: from && candleStart(length, from), to, limit: maxCandles };
      const found = await findCandles(ctx.db, length, range);
      const candles = found.map(({ at, open, high, low, close }) => ({
        at: at.toISOString(),
        open: storedPriceNumber(open),
        high: storedPriceNumber(high),
        low: storedPriceNumber(low),
        close: storedPriceNumber(close),
      }));
      return { candles, interval: length };
    });
  };
}
