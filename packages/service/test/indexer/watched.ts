import { eq } from 'drizzle-orm';
import type { Context } from '../../src/context.js';
import { unfinalized, type WatchedRecord, withFinality } from '../../src/db/indexing/finality.js';
import { operatorTransactions, orders, trades } from '../../src/db/schema.js';
import { type Id, type Prefix, uuidOf } from '../../src/domain/ids.js';

/** Rows with whether each is final, and when one that is not is looked at next. */
async function withChecks<Row extends { id: string }>(
  ctx: Pick<Context, 'db'>,
  kind: WatchedRecord,
  rows: Row[],
) {
  const waiting = await ctx.db.select().from(unfinalized).where(eq(unfinalized.kind, kind));
  return rows.map((row) => {
    const { checkAt = null } = waiting.find(({ id }) => id === uuidOf(row.id as Id<Prefix>)) ?? {};
    return { ...row, checkAt };
  });
}

export const watchedTrades = async (ctx: Pick<Context, 'db'>) =>
  withChecks(ctx, 'trade', await ctx.db.select(withFinality(trades, 'trade')).from(trades));

export const watchedOrders = async (ctx: Pick<Context, 'db'>) =>
  withChecks(ctx, 'order', await ctx.db.select(withFinality(orders, 'order')).from(orders));

export const watchedOperatorTransactions = async ({ db }: Pick<Context, 'db'>) =>
  db.select(withFinality(operatorTransactions, 'operator_transaction')).from(operatorTransactions);
