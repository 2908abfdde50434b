import { type Static, Type } from '@fastify/type-provider-typebox';
import { maxCandles, type PriceHistory, readPriceHistory } from '../../actions/market/read-price-history.js';
import type { Context } from '../../context.js';
import { candleIntervals } from '../../domain/candle.js';
import { storedPriceNumber } from '../../domain/quote.js';
import { about } from '../../views/fields.js';
import { choice, titled } from '../../views/schemas.js';
import { readMoment, requireOrder } from './times.js';

const Candle = titled('Candle', {
  at: Type.String(about('Beginning of the candle.', '2026-03-01T12:00:00.000Z')),
  open: Type.Number(about('First price, USD per troy ounce.', 4100.12)),
  high: Type.Number(about('Highest price.', 4103.5)),
  low: Type.Number(about('Lowest price.', 4098.75)),
  close: Type.Number(about('Last price.', 4101.3)),
});

const Closure = titled('Closure', {
  from: Type.String(
    about('When the market closes, or the beginning of the range.', '2026-03-06T22:00:00.000Z'),
  ),
  to: Type.String(about('When it opens again, or the end of the range.', '2026-03-08T22:00:00.000Z')),
});

const intervals = 'a minute, five minutes, an hour or a day of UTC';
const time = 'ISO 8601 with an offset.';

const Query = Type.Partial(
  Type.Object({
    from: Type.String(
      about(`Beginning with the candle that this time lies in. ${time}`, '2026-03-01T00:00:00Z'),
    ),
    to: Type.String(
      about(`Up to the candle that this time lies in; default: now. ${time}`, '2026-03-02T00:00:00Z'),
    ),
    interval: choice(candleIntervals, {
      description: `Length of a candle: ${intervals}; default: \`1h\`.`,
      examples: ['1h'],
    }),
  }),
);

/** What the routes of past prices take and return. */
export const historySchema = {
  operationId: 'listPriceHistory',
  summary: 'List past prices',
  description: `Returns candles in the order of time, at most ${maxCandles.toLocaleString('en-US')}: the first ones from \`from\` on, so that the next request can begin behind the last candle; without \`from\` the latest ones. A changed price is in it within 4 seconds. An interval without a price has no candle. Minutes are kept for 90 days, hours and days for ever. \`closures\` are the times in the range in which the market is closed, by its calendar and by the operators' word of now; candles of a day come without any.`,
  querystring: Query,
  response: {
    200: Type.Object({
      candles: Type.Array(Candle),
      interval: choice(candleIntervals, about(`Length of a candle: ${intervals}.`, '1h')),
      closures: Type.Array(Closure),
    }),
  },
};

/** Reads the history that a query names. Throws `invalid_request` for what is no time or no range. */
export async function readHistory(ctx: Context, query: Static<typeof Query>) {
  const from = readMoment('from', query.from);
  const to = readMoment('to', query.to) ?? new Date(ctx.clock.now());
  requireOrder({ from: 'from', to: 'to' }, from, to);
  return toHistoryView(await readPriceHistory(ctx, { interval: query.interval ?? '1h', from, to }));
}

function toHistoryView({ interval, candles, closures }: PriceHistory) {
  return {
    candles: candles.map(({ at, open, high, low, close }) => ({
      at: at.toISOString(),
      open: storedPriceNumber(open),
      high: storedPriceNumber(high),
      low: storedPriceNumber(low),
      close: storedPriceNumber(close),
    })),
    interval,
    closures: closures.map(({ fromMs, toMs }) => ({
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
    })),
  };
}
