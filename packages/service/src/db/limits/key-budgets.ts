import { sql } from 'drizzle-orm';
import { check, integer, pgTable, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import type { Db } from '../client.js';
import { moment } from '../columns.js';
import { runPrepared } from '../prepared.js';

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

export interface KeyBudgetLease {
  granted: number;
  /** Leased of the window by all processes. */
  taken: number;
  startedAt: Date;
}

/**
 * Leases up to `wanted` requests of the current window of each owner, which begins again when it is over; returns what each
 * got, 0 when its budget is used up. One statement without a transaction around it, so that racing leases are granted one
 * after the other, rows are locked in the order of their ids, and no process that stops meanwhile holds them. A window that
 * begins more than its length from now is of a clock that was set back: over as well.
 */
export async function leaseKeyBudgets(
  db: Db,
  input: { owners: { ownerId: Uuid; wanted: number }[]; now: Date; windowMs: number; limit: number },
): Promise<Map<Uuid, KeyBudgetLease>> {
  const { limit, windowMs } = input;
  const owners = JSON.stringify(
    input.owners.map(({ ownerId, wanted }) => ({ owner_id: ownerId, wanted: Math.min(wanted, limit) })),
  );
  const now = sql`excluded.started_at`;
  const window = sql`${`${windowMs} milliseconds`}::interval`;
  const rows = await runPrepared<LeaseRow>(
    db,
    sql`
      insert into key_budgets as b (owner_id, started_at, taken, granted)
      select owner_id, ${input.now.toISOString()}::timestamptz, wanted, wanted
      from jsonb_to_recordset(${owners}::jsonb) as asked (owner_id uuid, wanted int)
      order by owner_id
      on conflict (owner_id) do update set (started_at, taken, granted) = (
        select case when is_over then ${now} else b.started_at end, used + grantable, grantable
        from (
          select is_over, used, greatest(0, least(excluded.granted, ${limit}::int - used)) as grantable
          from (select is_over, case when is_over then 0 else b.taken end as used
            from (select not (${now} >= b.started_at - ${window} and ${now} < b.started_at + ${window}) as is_over) as age) as window_now
        ) as lease
      )
      returning owner_id, granted, taken, (extract(epoch from started_at) * 1000)::bigint as started_ms`,
  );
  return new Map(
    rows.map(({ owner_id, granted, taken, started_ms }) => [
      owner_id,
      { granted, taken, startedAt: new Date(toInteger(started_ms)) },
    ]),
  );
}

interface LeaseRow {
  owner_id: Uuid;
  granted: number;
  taken: number;
  started_ms: string;
}

/**
 * Gives back what was leased of windows and not used. Of a window that is over, there is nothing to give back. Locks rows
 * in the order of their ids, so that processes that give back at the same time wait for each other and never deadlock.
 */
export async function returnKeyBudgets(
  db: Db,
  unused: { ownerId: Uuid; startedAt: Date; count: number }[],
): Promise<void> {
  const rows = JSON.stringify(
    unused.map(({ ownerId, startedAt, count }) => ({
      owner_id: ownerId,
      started_at: startedAt.toISOString(),
      count,
    })),
  );
  await db.execute(sql`
    update key_budgets as b set taken = greatest(0, b.taken - back.count), granted = 0
    from (
      select locked.owner_id, given.started_at, given.count
      from key_budgets as locked
      join jsonb_to_recordset(${rows}::jsonb) as given (owner_id uuid, started_at timestamptz, count int) using (owner_id)
      order by locked.owner_id for no key update of locked
    ) as back
    where b.owner_id = back.owner_id and b.started_at = back.started_at`);
}
