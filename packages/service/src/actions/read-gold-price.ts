import type { Context } from '../context.js';
import type { OraclePrice } from '../domain/quote.js';
import { momentOf } from '../domain/timestamp.js';

/** The price of gold, and when the oracle published it. Throws `pricing_unavailable`. */
export function readGoldPrice(ctx: Context): { price: OraclePrice; publishedAt: Date } {
  const price = ctx.chain.price.current();
  return { price, publishedAt: momentOf(price.publishTimeSeconds) };
}
