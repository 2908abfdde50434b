import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { toInteger } from '../../domain/integer.js';
import type { Db } from '../client.js';
import { moment } from '../columns.js';
import { runPrepared } from '../prepared.js';

/**
 * Requests that keys, partners, operators and networks were granted in the last window, a row for each budget of each. In
 * the database, so that limits hold over all processes.
 */
export const budgets = pgTable(
  'budgets',
  {
    /** Budget and owner: `key_reads:` with the id of a key, `auth:203.0.113.7`. */
    owner: text().primaryKey(),
    /** When requests were granted, in milliseconds since the Unix epoch, and how many at each of these times. */
    grantedAt: bigint('granted_at', { mode: 'number' }).array().notNull(),
    counts: integer().array().notNull(),
    /** What the latest request for a grant was granted. */
    granted: integer().notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (t) => [
    index('budgets_last').on(t.lastAt),
    check('budgets_owner', sql`char_length(${t.owner}) <= 64`),
    check(
      'budgets_counts',
      sql`cardinality(${t.counts}) = cardinality(${t.grantedAt}) and 0 < all (${t.counts})`,
    ),
    check('budgets_granted', sql`${t.granted} >= 0`),
  ],
);

/** What an owner was granted, and what all processes were granted of the window until then. */
export interface BudgetLease {
  granted: number;
  taken: number;
  /** When that was granted, and the oldest of the window, in milliseconds since the Unix epoch. */
  grantedMs: number;
  oldestMs: number;
}

/**
 * Grants each owner the requests that it wants unless it would have more than `limit` in the window that ends now: then
 * what is left, if `inPart`, and otherwise none. One statement without a transaction around it, so that racing leases are
 * granted one after the other, rows are locked in the order of their owners, and no process that stops meanwhile holds
 * them. Grants from further in the future than a window are of a clock that was set back: dropped.
 */
export async function leaseBudgets(
  db: Db,
  input: {
    wanted: readonly { owner: string; count: number }[];
    nowMs: number;
    windowMs: number;
    limit: number;
    inPart: boolean;
  },
): Promise<Map<string, BudgetLease>> {
  const { wanted, nowMs, windowMs, limit, inPart } = input;
  const most = (count: number) => (count <= limit ? count : inPart ? limit : 0);
  const requested = JSON.stringify(wanted.map(({ owner, count }) => ({ owner, count: most(count) })));
  const rows = await runPrepared<LeaseRow>(
    db,
    sql`
      insert into budgets as b (owner, granted_at, counts, granted, last_at)
      select owner, case when count > 0 then array[${nowMs}::bigint] else '{}' end,
        case when count > 0 then array[count] else '{}' end, count, ${new Date(nowMs).toISOString()}::timestamptz
      from jsonb_to_recordset(${requested}::jsonb) as asked (owner text, count int)
      order by owner
      on conflict (owner) do update set last_at = excluded.last_at, (granted_at, counts, granted) = (
        with recent as (
          select at, count from unnest(b.granted_at, b.counts) as given (at, count)
          where at > ${nowMs - windowMs}::bigint and at <= ${nowMs + windowMs}::bigint
        ), lease as (
          select case when excluded.granted <= room then excluded.granted
            when ${inPart}::boolean then greatest(0, room) else 0 end as count
          from (select ${limit}::bigint - coalesce(sum(count), 0) as room from recent) as left_over
        ), kept as (
          select at, sum(count) as count
          from (select at, count from recent union all select ${nowMs}::bigint, count from lease where count > 0) as each
          group by at
        )
        select coalesce(array_agg(at order by at), '{}'), coalesce(array_agg(count::int order by at), '{}'),
          (select count::int from lease)
        from kept
      )
      returning owner, granted, (select coalesce(sum(count), 0)::int from unnest(counts) as count) as taken,
        coalesce(granted_at[1], ${nowMs}::bigint) as oldest_ms`,
  );
  return new Map(
    rows.map(({ owner, granted, taken, oldest_ms }) => [
      owner,
      { granted, taken, grantedMs: nowMs, oldestMs: toInteger(oldest_ms) },
    ]),
  );
}

interface LeaseRow {
  owner: string;
  granted: number;
  taken: number;
  oldest_ms: string;
}

/** Returns what an owner was granted of the window that ends now, in all processes; undefined for nothing. */
export async function findBudgetUse(
  db: Db,
  owner: string,
  { nowMs, windowMs }: { nowMs: number; windowMs: number },
): Promise<{ taken: number; oldestMs: number } | undefined> {
  const [row] = await db.execute<{ taken: number; oldest_ms: string | null }>(sql`
    select coalesce(sum(count), 0)::int as taken, min(at)::text as oldest_ms
    from budgets, unnest(granted_at, counts) as given (at, count)
    where owner = ${owner} and at > ${nowMs - windowMs}::bigint and at <= ${nowMs + windowMs}::bigint`);
  if (!row || row.oldest_ms === null) return undefined;
  return { taken: row.taken, oldestMs: toInteger(row.oldest_ms) };
}

/** Requests that were granted at a time and are not used. */
export interface UnusedGrant {
  owner: string;
  /** In milliseconds since the Unix epoch. */
  atMs: number;
  count: number;
}

/**
 * Gives back what was granted and not used. Locks rows in the order of their owners, so that processes that give back at
 * the same time wait for each other and never deadlock.
 */
export async function returnBudgets(db: Db, unused: readonly UnusedGrant[]): Promise<void> {
  const rows = JSON.stringify(unused.map(({ owner, atMs, count }) => ({ owner, at: atMs, count })));
  await db.execute(sql`
    with given as (
      select owner, at, sum(count) as count
      from jsonb_to_recordset(${rows}::jsonb) as given (owner text, at bigint, count int) group by owner, at
    ), locked as (
      select b.owner, b.granted_at, b.counts from budgets as b
      where b.owner in (select owner from given) order by b.owner for no key update
    ), back as (
      select locked.owner, coalesce(array_agg(at order by at) filter (where left_over > 0), '{}') as granted_at,
        coalesce(array_agg(left_over order by at) filter (where left_over > 0), '{}') as counts
      from locked, lateral (
        select had.at, had.count - coalesce(given.count, 0)::int as left_over
        from unnest(locked.granted_at, locked.counts) as had (at, count)
        left join given on given.owner = locked.owner and given.at = had.at
      ) as each
      group by locked.owner
    )
    update budgets as b set granted_at = back.granted_at, counts = back.counts from back where b.owner = back.owner`);
}
