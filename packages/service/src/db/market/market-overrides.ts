import { sql } from 'drizzle-orm';
import { boolean, check, pgEnum, pgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { MarketOverride } from '../../domain/market-calendar.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { personId } from '../people/people.js';

export const marketState = pgEnum('market_state', ['open', 'closed']);

/** One row while an operator's word stands against the calendar; none: the calendar decides. */
export const marketOverrides = pgTable(
  'market_overrides',
  {
    only: boolean().primaryKey().default(true),
    market: marketState().notNull(),
    /** Null: until an operator takes it back. */
    until: moment('until'),
    operatorId: personId('operator_id'),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    check('market_overrides_only', sql`${t.only}`),
    // It must not be forgotten that the market is held open: only a closure stands for as long as it takes.
    check('market_overrides_open_ends', sql`${t.market} = 'closed' or ${t.until} is not null`),
  ],
);

/** Returns the operator's word as it stands and since when, whether or not its time is over. */
export async function findMarketOverride(
  db: Db | Tx,
): Promise<(MarketOverride & { sinceMs: number }) | undefined> {
  const { market, until, createdAt } = marketOverrides;
  const [row] = await db.select({ market, until, createdAt }).from(marketOverrides);
  return row && { market: row.market, untilMs: row.until?.getTime(), sinceMs: row.createdAt.getTime() };
}

/** Replaces the operator's word; undefined takes it back. */
export async function setMarketOverride(
  tx: Tx,
  override: MarketOverride | undefined,
  by: { operatorId: Uuid | null; at: Date },
): Promise<void> {
  await tx.delete(marketOverrides);
  if (!override) return;
  await tx.insert(marketOverrides).values({
    market: override.market,
    until: override.untilMs === undefined ? null : new Date(override.untilMs),
    operatorId: by.operatorId,
    createdAt: by.at,
  });
}
