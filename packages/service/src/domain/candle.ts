/** Lengths of the candles that are kept, in the words of requests. */
export const storedIntervals = ['1m', '1h', '1d'] as const;
/** Lengths that can be requested: candles of five minutes are made of minutes when they are read. */
export const candleIntervals = ['1m', '5m', '1h', '1d'] as const;
export type CandleInterval = (typeof candleIntervals)[number];

const minuteMs = 60_000;
const lengthMs: Record<CandleInterval, number> = {
  '1m': minuteMs,
  '5m': 5 * minuteMs,
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

/** Returns the end of the candle that a moment is in, which is the beginning of the next one. */
export function candleEnd(interval: CandleInterval, at: Date): Date {
  return new Date(candleStart(interval, at).getTime() + lengthMs[interval]);
}

/** A candle of a length that is kept. */
export type StoredCandle = Candle & { interval: (typeof storedIntervals)[number] };

/** Returns the candles of a price alone, one of each interval that is kept. */
export function candlesOf({ price, at }: PublishedPrice): StoredCandle[] {
  return storedIntervals.map((interval) => ({
    interval,
    at: candleStart(interval, at),
    ...{ open: price, high: price, low: price, close: price },
    closedAt: at,
  }));
}
