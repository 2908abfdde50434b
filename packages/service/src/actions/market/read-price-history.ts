import type { Context } from '../../context.js';
import { findMarketOverride } from '../../db/market/market-overrides.js';
import { findCandles } from '../../db/market/price-candles.js';
import { type Candle, type CandleInterval, candleEnd, candleStart } from '../../domain/candle.js';
import { type Closure, closuresBetween } from '../../domain/market-calendar.js';

/** Maximum number of candles that are read at once. */
export const maxCandles = 1_000;

/** The price of gold in the past. */
export interface PriceHistory {
  interval: CandleInterval;
  /** Oldest first. */
  candles: Candle[];
  /** When the market is closed between the first candle and the last one; none for days, most of which have both. */
  closures: Closure[];
}

/** Returns the candles from `from` up to `to`, the first ones, or the latest ones without `from`. */
export async function readPriceHistory(
  { db, calendar }: Context,
  { interval, from, to }: { interval: CandleInterval; from: Date | undefined; to: Date },
): Promise<PriceHistory> {
  const candles = await findCandles(db, interval, { from, to, limit: maxCandles });
  const begin = from ? candleStart(interval, from) : candles[0]?.at;
  if (interval === '1d' || !begin) return { interval, candles, closures: [] };
  const last = candles.at(-1);
  const end = candles.length === maxCandles && last ? candleEnd(interval, last.at) : to;
  const override = await findMarketOverride(db);
  const endMs = Math.min(end.getTime(), to.getTime());
  return {
    interval,
    candles,
    closures: closuresBetween(begin.getTime(), endMs, calendar, override),
  };
}
