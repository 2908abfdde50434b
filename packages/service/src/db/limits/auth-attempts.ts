import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, text } from 'drizzle-orm/pg-core';
import { toInteger } from '../../domain/integer.js';
import type { Tx } from '../client.js';
import { moment } from '../columns.js';

/** Recent requests that need no key, a row for each budget and IP address. In the database, so that limits hold for all processes. */
export const authAttempts = pgTable(
  'auth_attempts',
  {
    /** Budget and IP address: `auth:203.0.113.7`. */
    counter: text().primaryKey(),
    /** When the admitted requests of the last minute came, in milliseconds since the Unix epoch. */
    hits: bigint({ mode: 'number' }).array().notNull(),
    admitted: boolean().notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (t) => [
    index('auth_attempts_last').on(t.lastAt),
    check('auth_attempts_counter', sql`char_length(${t.counter}) <= 64`),
  ],
);

export interface Attempt {
  admitted: boolean;
  /** Admitted requests of the last window, this one included. */
  used: number;
  /** When the oldest of them came, in milliseconds since the Unix epoch. */
  oldestMs: number;
}

/**
 * Admits a request that counts as `count` unless that would be more than `limit` in the window before it. One statement, so
 * that racing requests are counted one after the other. Hits from further in the future than a window are a clock that was
 * set back: dropped.
 */
export async function recordAttempt(
  tx: Tx,
  input: { counter: string; nowMs: number; windowMs: number; limit: number; count?: number },
): Promise<Attempt> {
  const { counter, nowMs, windowMs, limit, count = 1 } = input;
  const first = count <= limit ? count : 0;
  const rows = await tx.execute<{ admitted: boolean; used: number; oldest: string }>(sql`
    insert into auth_attempts as a (counter, hits, admitted, last_at)
    values (${counter}, array_fill(${nowMs}::bigint, array[${first}::int]), ${first > 0}, ${new Date(nowMs).toISOString()}::timestamptz)
    on conflict (counter) do update set
      last_at = excluded.last_at,
      (hits, admitted) = (
        select case when cardinality(recent) + ${count}::int <= ${limit}::int
            then recent || array_fill(${nowMs}::bigint, array[${count}::int]) else recent end,
          cardinality(recent) + ${count}::int <= ${limit}::int
        from (
          select coalesce(array_agg(hit order by hit), '{}') as recent from unnest(a.hits) hit
          where hit > ${nowMs - windowMs}::bigint and hit <= ${nowMs + windowMs}::bigint
        ) kept
      )
    returning admitted, cardinality(hits) as used, (select min(hit) from unnest(hits) hit) as oldest`);
  const row = rows[0];
  if (!row) throw new Error('an upsert returned no row');
  return { admitted: row.admitted, used: row.used, oldestMs: toInteger(row.oldest) };
}
