import { and, count, eq, gt, ne, sql } from 'drizzle-orm';
import { permissionOf } from '../domain/approval.js';
import { toInteger } from '../domain/integer.js';
import { mayOperator, type Operator } from '../domain/operator.js';
import { lateAfterMs, overdueAfterMs } from '../domain/redemption.js';
import { approvals } from './approvals/approvals.js';
import type { Db, Tx } from './client.js';
import { type WaitingStatus, waitingStatuses } from './indexing/observed-state.js';

/** Redemptions of one status that wait in one city. */
export interface WaitingRedemptions {
  city: string;
  status: WaitingStatus;
  count: number;
  /** Those that have waited for longer than a day, and for longer than three, since they were quoted. */
  overOneDay: number;
  overThreeDays: number;
  oldestAt: Date;
}

/** Returns the redemptions that wait for the vaults, by city and status. */
export async function findWaitingByCity(db: Db | Tx, now: Date): Promise<WaitingRedemptions[]> {
  const before = (ms: number) => sql`${new Date(now.getTime() - ms).toISOString()}::timestamptz`;
  const rows = await db.execute<{
    city: string;
    status: WaitingStatus;
    count: number;
    over_one: number;
    over_three: number;
    oldest_ms: string;
  }>(sql`
    select min(city) as city, status, count(*)::int as count,
      count(*) filter (where created_at < ${before(lateAfterMs)})::int as over_one,
      count(*) filter (where created_at < ${before(overdueAfterMs)})::int as over_three,
      (extract(epoch from min(created_at)) * 1000)::bigint::text as oldest_ms
    from redemptions where status = any(${sql.param([...waitingStatuses])}::redemption_status[])
    group by city_key, status order by city_key, status`);
  return rows.map(({ city, status, count, over_one, over_three, oldest_ms }) => ({
    city,
    status,
    count,
    overOneDay: over_one,
    overThreeDays: over_three,
    oldestAt: new Date(toInteger(oldest_ms)),
  }));
}

/** Trades of users that executed on one day of UTC, base units. */
export interface TradeDay {
  /** Such as `2026-03-01`. */
  day: string;
  buys: number;
  sells: number;
  usdc: bigint;
  gold: bigint;
}

/** Returns the days on which trades executed since then, oldest first. */
export async function findTradeDays(db: Db | Tx, since: Date): Promise<TradeDay[]> {
  const rows = await db.execute<{ day: string; buys: number; sells: number; usdc: string; gold: string }>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
      count(*) filter (where side = 'buy')::int as buys, count(*) filter (where side = 'sell')::int as sells,
      sum(usdc_amount)::text as usdc, sum(gold_amount)::text as gold
    from trades
    where side = any('{buy,sell}'::trade_side[]) and status = 'confirmed' and created_at >= ${since.toISOString()}::timestamptz
    group by 1 order by 1`);
  return rows.map((row) => ({ ...row, usdc: BigInt(row.usdc), gold: BigInt(row.gold) }));
}

/** Returns how many approvals this operator may decide: requests of others, of what the role allows. */
export async function countApprovalsFor(
  db: Db | Tx,
  { personId, role }: Pick<Operator, 'personId' | 'role'>,
  now: Date,
): Promise<number> {
  const waiting = await db
    .select({ action: approvals.action, count: count() })
    .from(approvals)
    .where(
      and(eq(approvals.status, 'pending'), gt(approvals.expiresAt, now), ne(approvals.requestedBy, personId)),
    )
    .groupBy(approvals.action);
  const decidable = waiting.filter(({ action }) => mayOperator(role, permissionOf(action)));
  return decidable.reduce((sum, { count }) => sum + count, 0);
}
