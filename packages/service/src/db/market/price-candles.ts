import { and, asc, desc, eq, gte, lt, lte, sql } from 'drizzle-orm';
import { check, numeric, pgEnum, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { type Candle, type CandleInterval, candleIntervals } from '../../domain/candle.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';

export const candleInterval = pgEnum('candle_interval', candleIntervals);

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
export async function saveCandles(tx: Tx, candles: readonly Candle[]): Promise<void> {
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

/**
 * Returns candles that begin from `from` up to `to`, in their order: the first ones from `from` on, or the last ones
 * without it.
 */
export async function findCandles(
  db: Db | Tx,
  interval: CandleInterval,
  { from, to, limit }: { from: Date | undefined; to: Date; limit: number },
): Promise<Candle[]> {
  const found = await db
    .select()
    .from(priceCandles)
    .where(
      and(eq(priceCandles.interval, interval), from && gte(priceCandles.at, from), lte(priceCandles.at, to)),
    )
    .orderBy(from ? asc(priceCandles.at) : desc(priceCandles.at))
    .limit(limit);
  return from ? found : found.reverse();
}

/** Deletes the candles of an interval that begin before `before`. */
export async function deleteCandlesBefore(tx: Tx, interval: CandleInterval, before: Date): Promise<void> {
  await tx.delete(priceCandles).where(and(eq(priceCandles.interval, interval), lt(priceCandles.at, before)));
}
