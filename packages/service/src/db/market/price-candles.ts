import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { check, numeric, pgEnum, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import {
  type Candle,
  type CandleInterval,
  candleEnd,
  candleStart,
  type StoredCandle,
  storedIntervals,
} from '../../domain/candle.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';

export const candleInterval = pgEnum('candle_interval', storedIntervals);

/** USD per troy ounce. */
const price = (name: string) => numeric(name, { precision: 32, scale: 12 }).notNull();

/** The price of gold as the keeper saw it: where it began, went and ended in each minute, hour and day. */
export const priceCandles = pgTable(
  'price_candles',
  {
    interval: candleInterval().notNull(),
    /** Its beginning. */
    at: moment('at').notNull(),
    open: price('open'),
    high: price('high'),
    low: price('low'),
    close: price('close'),
    /** When the last price was published. */
    closedAt: moment('closed_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.interval, t.at] }),
    check(
      'price_candles_prices',
      sql`0 < ${t.low} and ${t.low} <= least(${t.open}, ${t.close}) and greatest(${t.open}, ${t.close}) <= ${t.high}`,
    ),
  ],
);

/** Adds what was seen to the candles that are there. No two of the given ones may be the same. */
export async function saveCandles(tx: Tx, candles: readonly StoredCandle[]): Promise<void> {
  if (candles.length === 0) return;
  const { high, low, close, closedAt } = priceCandles;
  await tx
    .insert(priceCandles)
    .values([...candles])
    .onConflictDoUpdate({
      target: [priceCandles.interval, priceCandles.at],
      set: {
        high: sql`greatest(${high}, excluded.high)`,
        low: sql`least(${low}, excluded.low)`,
        close: sql`case when excluded.closed_at >= ${closedAt} then excluded.close else ${close} end`,
        closedAt: sql`greatest(${closedAt}, excluded.closed_at)`,
      },
    });
}

/** Which candles of an interval are read, and how many at most. */
interface CandleRange {
  /** Begins with the candle that this moment is in; without it, the last ones are read. */
  from: Date | undefined;
  /** Ends with the candle that this moment is in. */
  to: Date;
  limit: number;
}

/** Returns the candles of a range in their order: the first ones from `from` on, or the last ones without it. */
export async function findCandles(
  db: Db | Tx,
  interval: CandleInterval,
  range: CandleRange,
): Promise<Candle[]> {
  const found =
    interval === '5m' ? await findFiveMinutes(db, range) : await candlesIn(db, interval, interval, range);
  return range.from ? found : found.reverse();
}

/** Selects candles that are kept, in a range of candles that may be longer. */
function candlesIn(
  db: Db | Tx,
  stored: StoredCandle['interval'],
  interval: CandleInterval,
  { from, to, limit }: CandleRange,
) {
  const { at } = priceCandles;
  return db
    .select()
    .from(priceCandles)
    .where(
      and(
        eq(priceCandles.interval, stored),
        from && gte(at, candleStart(interval, from)),
        lt(at, candleEnd(interval, to)),
      ),
    )
    .orderBy(from ? asc(at) : desc(at))
    .limit(limit);
}

/** Makes candles of five minutes of those of a minute. */
async function findFiveMinutes(db: Db | Tx, range: CandleRange): Promise<Candle[]> {
  // So many minutes are in at least `limit` of them, all of which are whole but for one that is more than that.
  const minutes = candlesIn(db, '1m', '5m', { ...range, limit: 5 * range.limit }).as('minutes');
  const start = sql<Date>`date_bin('5 minutes', ${minutes.at}, timestamptz 'epoch')`.mapWith(priceCandles.at);
  const found = await db
    .select({
      at: start.as('start'),
      open: sql<string>`(array_agg(${minutes.open} order by ${minutes.at}))[1]`,
      high: sql<string>`max(${minutes.high})`,
      low: sql<string>`min(${minutes.low})`,
      close: sql<string>`(array_agg(${minutes.close} order by ${minutes.at} desc))[1]`,
      closedAt: sql<Date>`max(${minutes.closedAt})`.mapWith(priceCandles.closedAt),
    })
    .from(minutes)
    .groupBy(sql`start`)
    .orderBy(range.from ? sql`start` : sql`start desc`)
    .limit(range.limit);
  return found.map((candle) => ({ interval: '5m', ...candle }));
}

/** Deletes the candles of an interval that begin before `before`. */
export async function deleteCandlesBefore(
  tx: Tx,
  interval: StoredCandle['interval'],
  before: Date,
): Promise<void> {
  await tx.delete(priceCandles).where(and(eq(priceCandles.interval, interval), lt(priceCandles.at, before)));
}
