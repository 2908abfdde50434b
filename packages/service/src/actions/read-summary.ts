import type { Context } from '../context.js';
import { countDeadLetters } from '../db/indexing/dead-letters.js';
import { countUnsettledRedemptions } from '../db/indexing/observed-state.js';
import { findCandles } from '../db/market/price-candles.js';
import {
  countApprovalsFor,
  findTradeDays,
  findWaitingByCity,
  type TradeDay,
  type WaitingRedemptions,
} from '../db/summary.js';
import type { Candle } from '../domain/candle.js';
import type { Operator } from '../domain/operator.js';
import type { SettlementKind } from '../domain/redemption.js';
import { lookAtMostEvery } from '../runtime/look.js';
import { type KnownPrice, readPrice } from './market/read-price.js';
import { type Health, readHealth } from './read-health.js';

const dayMs = 86_400_000;
/** Days that are shown, with today. */
export const tradeDays = 30;
/** The days of trades take the longest to read, and hardly change. */
const tradesKnownMs = 5_000;

/** What an operator sees first. */
export interface Summary {
  at: Date;
  waiting: WaitingRedemptions[];
  unsettled: { kind: SettlementKind; count: number; since: Date }[];
  /** One for each of the days, oldest first; today is the last one. */
  days: TradeDay[];
  price: KnownPrice;
  /** Hours of the last day, oldest first. */
  hours: Candle[];
  health: Health[];
  deadLetters: number;
  /** Approvals that this operator may decide. */
  approvals: number;
}

/** Returns what reads the summary for an operator; the days of trades may be some seconds old. */
export function summaryReader(ctx: Context): (operator: Operator) => Promise<Summary> {
  const days = lookAtMostEvery(tradesKnownMs, () => readTradeDays(ctx));
  return async (operator) => {
    const at = new Date(ctx.clock.now());
    const aDayAgo = new Date(at.getTime() - dayMs);
    const [waiting, unsettled, traded, hours, health, deadLetters, approvals] = await Promise.all([
      findWaitingByCity(ctx.db, at),
      countUnsettledRedemptions(ctx.db, new Date(ctx.clock.now())),
      days(),
      findCandles(ctx.db, '1h', { from: aDayAgo, to: at, limit: 25 }),
      readHealth(ctx),
      countDeadLetters(ctx.db),
      countApprovalsFor(ctx.db, operator, at),
    ]);
    const price = readPrice(ctx);
    return { at, waiting, unsettled, days: traded, price, hours, health, deadLetters, approvals };
  };
}

async function readTradeDays({ db, clock }: Context): Promise<TradeDay[]> {
  const now = clock.now();
  const todayMs = now - (now % dayMs);
  const firstMs = todayMs - (tradeDays - 1) * dayMs;
  const traded = new Map((await findTradeDays(db, new Date(firstMs))).map((one) => [one.day, one]));
  return Array.from({ length: tradeDays }, (_, index) => {
    const day = new Date(firstMs + index * dayMs).toISOString().slice(0, 10);
    return traded.get(day) ?? { day, buys: 0, sells: 0, usdc: 0n, gold: 0n };
  });
}
