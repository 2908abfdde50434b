/** Lengths of candles, in the words of requests. */
export const candleIntervals = ['1m', '1h', '1d'] as const;
export type CandleInterval = (typeof candleIntervals)[number];

const minuteMs = 60_000;
const lengthMs: Record<CandleInterval, number> = {
  '1m': minuteMs,
  '1h': 60 * minuteMs,
  '1d': 24 * 60 * minuteMs,
};

/** Prices of an interval: the first, the highest, the lowest and the last; USD per troy ounce, decimal text. */
export interface Candle {
  interval: CandleInterval;
  /** Its beginning, on the clock of UTC. */
  at: Date;
  open: string;
  high: string;
  low: string;
  close: string;
  /** When the last price was published. */
  closedAt: Date;
}

/** A price as it was published. */
export interface PublishedPrice {
  /** USD per troy ounce, decimal text. */
  price: string;
  at: Date;
}

/** Returns the beginning of the candle that a moment is in. */
export function candleStart(interval: CandleInterval, at: Date): Date {
  const ms = at.getTime();
  return new Date(ms - (ms % lengthMs[interval]));
}

/** Returns the candles of a price alone, one of each interval. */
export function candlesOf({ price, at }: PublishedPrice): Candle[] {
  return candleIntervals.map((interval) => ({
    interval,
    at: candleStart(interval, at),
    ...{ open: price, high: price, low: price, close: price },
    closedAt: at,
  }));
}
