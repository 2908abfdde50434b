import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type KnownPrice, readPrice } from '../../actions/market/read-price.js';
import type { Context } from '../../context.js';
import { priceNumber } from '../../domain/quote.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { historySchema, readHistory } from '../server/price-history.js';
import { read } from './shapes.js';
import { statusField as field } from './status-fields.js';

export const PriceView = titled('OraclePrice', {
  price: Nullable(Type.Number(), field.oraclePrice),
  confidence: Nullable(Type.Number(), field.confidence),
  publish_time: Nullable(Type.String(), field.publishTime),
  age_seconds: Nullable(Type.Integer(), field.ageSeconds),
  status: choice(['fresh', 'stale', 'unavailable'], field.priceStatus),
  fault: Nullable(Type.String(), field.priceFault),
  market: Nullable(choice(['open', 'closed']), field.market),
});

const schema = {
  operationId: 'getPrice',
  summary: 'Get the price of gold',
  description:
    'Returns the latest price of the oracle, however old, as this process sees it, and whether trades execute at it.',
  response: {
    200: PriceView,
  },
};

/** Routes of the price of gold, now and in the past. */
export function priceRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Operation');
    app.get('/price', { config: read, schema }, async () => toPriceView(readPrice(ctx)));
    app.get('/price/history', { config: read, schema: historySchema }, ({ query }) =>
      readHistory(ctx, query),
    );
  };
}

export function toPriceView({ published, fault, market }: KnownPrice) {
  const common = { fault: fault ?? null, market: market ?? null };
  if (!published) {
    const nothing = { price: null, confidence: null, publish_time: null, age_seconds: null };
    return { ...nothing, status: 'unavailable' as const, ...common };
  }
  const { price, at, ageSeconds } = published;
  return {
    price: priceNumber(price),
    confidence: priceNumber({ ...price, price: price.confidence }),
    publish_time: at.toISOString(),
    age_seconds: ageSeconds,
    status: fault === undefined ? ('fresh' as const) : ('stale' as const),
    ...common,
  };
}
