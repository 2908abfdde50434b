import { sql } from 'drizzle-orm';
import { check, integer, pgTable, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import type { Tx } from '../client.js';
import { moment } from '../columns.js';

/** What each key, partner and operator may still request in its current window. In the database, so that budgets hold for all processes. */
export const keyBudgets = pgTable(
  'key_budgets',
  {
    /** A key, a partner for all its keys together, or an operator. */
    ownerId: uuid('owner_id').primaryKey().$type<Uuid>(),
    /** When the window began: with the first request after the one before it was over. */
    startedAt: moment('started_at').notNull(),
    /** Requests of the window that processes have leased, whether they were made yet or not. */
    taken: integer().notNull(),
    granted: integer().notNull(),
  },
  (t) => [check('key_budgets_counts', sql`${t.granted} >= 0 and ${t.taken} >= ${t.granted}`)],
);

/**
 * Leases up to `wanted` requests of an owner's current window, which begins again when it is over: `granted` ones, 0 when
 * its budget is used up, of `taken` that all processes have leased. One statement, so
 * that racing leases are granted one after the other. A window that begins more than its length from now is of a clock
 * that was set back: over as well.
 */
export async function leaseKeyBudget(
  tx: Tx,
  input: { ownerId: Uuid; now: Date; windowMs: number; limit: number; wanted: number },
) {
  const { ownerId, limit } = input;
  const first = Math.min(input.wanted, limit);
  const now = sql`${input.now.toISOString()}::timestamptz`;
  const window = sql`${`${input.windowMs} milliseconds`}::interval`;
  const rows = await tx.execute<{ granted: number; taken: number; started_ms: string }>(sql`
    insert into key_budgets as b (owner_id, started_at, taken, granted)
    values (${ownerId}, ${now}, ${first}, ${first})
    on conflict (owner_id) do update set (started_at, taken, granted) = (
      select case when is_over then ${now} else b.started_at end, used + grantable, grantable
      from (
        select is_over, used, greatest(0, least(${input.wanted}::int, ${limit}::int - used)) as grantable
        from (select is_over, case when is_over then 0 else b.taken end as used
          from (select not (${now} >= b.started_at - ${window} and ${now} < b.started_at + ${window}) as is_over) as age) as window_now
      ) as lease
    )
    returning granted, taken, (extract(epoch from started_at) * 1000)::bigint as started_ms`);
  const row = rows[0];
  if (!row) throw new Error('an upsert returned no row');
  return { granted: row.granted, taken: row.taken, startedAt: new Date(toInteger(row.started_ms)) };
}

/**
 * Gives back what was leased of windows and not used. Of a window that is over, there is nothing to give back. Locks rows
 * in the order of their ids, so that processes that give back at the same time wait for each other and never deadlock.
 */
export async function returnKeyBudgets(
  tx: Tx,
  unused: { ownerId: Uuid; startedAt: Date; count: number }[],
): Promise<void> {
  const rows = JSON.stringify(
    unused.map(({ ownerId, startedAt, count }) => ({
      owner_id: ownerId,
      started_at: startedAt.toISOString(),
      count,
    })),
  );
  await tx.execute(sql`
    update key_budgets as b set taken = greatest(0, b.taken - back.count), granted = 0
    from (
      select locked.owner_id, given.started_at, given.count
      from key_budgets as locked
      join jsonb_to_recordset(${rows}::jsonb) as given (owner_id uuid, started_at timestamptz, count int) using (owner_id)
      order by locked.owner_id for no key update of locked
    ) as back
    where b.owner_id = back.owner_id and b.started_at = back.started_at`);
}
