import { and, eq, sql } from 'drizzle-orm';
import { pgTable, primaryKey } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { feeBudget, fullHourOf } from '../../domain/limits.js';
import type { Db, Tx } from '../client.js';
import { int64, moment } from '../columns.js';
import { partnerId, partners } from '../partners/partners.js';
import { prepare } from '../prepared.js';

/**
 * What the service paid to the network for what landed of each partner, less what it earned by that: a row for each hour, which is
 * deleted when it is over.
 */
export const feeSpending = pgTable(
  'fee_spending',
  {
    partnerId: partnerId().notNull(),
    /** Its beginning. */
    hour: moment('hour').notNull(),
    /** Below zero where more was earned. */
    lamports: int64().notNull(),
  },
  (t) => [primaryKey({ columns: [t.partnerId, t.hour] })],
);

/** What a transaction cost the service. */
export interface LandedCost {
  /** Lamports that left its key: fees of the network, and rent. */
  lamports: bigint;
  /** When it landed, in milliseconds since the Unix epoch; undefined if the node does not say. */
  landedMs: number | undefined;
}

/** What a partner's transaction cost the service, and what it brought. */
export interface FeeSpent extends LandedCost {
  partnerId: Uuid;
  /** Fee that was earned, base units of USDC. */
  feeUsdc: bigint;
}

/**
 * Counts what landed in the hours in which it landed, however late it is recorded. One statement that locks the rows in order;
 * others that record for these partners wait from here to the commit.
 */
export async function countFees(tx: Tx, spent: readonly FeeSpent[], at: Date): Promise<void> {
  const sums = new Map<string, { partner: Uuid; hour: string; lamports: bigint }>();
  const present = fullHourOf(at.getTime()).getTime();
  for (const { partnerId: partner, lamports, feeUsdc, landedMs = at.getTime() } of spent) {
    const hour = fullHourOf(landedMs);
    // It would only be deleted.
    if (hour.getTime() < present) continue;
    const key = `${partner} ${hour.getTime()}`;
    const sum = sums.get(key) ?? { partner, hour: hour.toISOString(), lamports: 0n };
    sum.lamports += lamports - feeUsdc * feeBudget.lamportsPerUsdcUnit;
    sums.set(key, sum);
  }
  if (sums.size === 0) return;
  const rows = [...sums.values()];
  await tx.execute(sql`
    insert into fee_spending as f (partner_id, hour, lamports)
    select * from unnest(${sql.param(rows.map(({ partner }) => partner))}::uuid[],
      ${sql.param(rows.map(({ hour }) => hour))}::timestamptz[],
      ${sql.param(rows.map(({ lamports }) => String(lamports)))}::bigint[]) as given (partner_id, hour, lamports)
    order by partner_id, hour
    on conflict (partner_id, hour) do update set lamports = f.lamports + excluded.lamports`);
}

const overspent = prepare<{ id: Uuid; budget: string }>(sql`
  select ${partners.id} as id, ${partners.feeBudgetLamports}::text as budget from ${partners}
  left join ${feeSpending} on ${feeSpending.partnerId} = ${partners.id} and ${feeSpending.hour} = ${sql.placeholder('hour')}
  where coalesce(${feeSpending.lamports}, 0) >= ${partners.feeBudgetLamports}`);

/** Lamports that were paid for a partner in an hour, less what was earned, and what may be paid. */
export interface FeeUse {
  lamports: bigint;
  budget: bigint;
}

/** Returns what was paid for a partner in the hour of a moment; undefined for no partner. */
export async function findFeeUse(db: Db | Tx, partner: Uuid, atMs: number): Promise<FeeUse | undefined> {
  const inHour = and(eq(feeSpending.partnerId, partners.id), eq(feeSpending.hour, fullHourOf(atMs)));
  const [found] = await db
    .select({ lamports: feeSpending.lamports, budget: partners.feeBudgetLamports })
    .from(partners)
    .leftJoin(feeSpending, inHour)
    .where(eq(partners.id, partner));
  return found && { lamports: found.lamports ?? 0n, budget: found.budget };
}

/** Returns the partners that have used up what may be paid for them in the hour of a moment, with their budgets in lamports. */
export async function findOverspent(db: Db | Tx, atMs: number): Promise<Map<Uuid, bigint>> {
  const rows = await overspent(db, { hour: fullHourOf(atMs).toISOString() });
  return new Map(rows.map(({ id, budget }) => [id, BigInt(budget)]));
}
