import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, text } from 'drizzle-orm/pg-core';
import type { Tx } from './client.js';
import { moment } from './columns.js';

/** Recent requests to the auth routes, a row an IP address, and of operators, a row each; lives in the database so that the limit holds everywhere. */
export const authAttempts = pgTable(
  'auth_attempts',
  {
    ip: text().primaryKey(),
    /** When the admitted requests of the last minute came, in milliseconds since the Unix epoch; of operators see below. */
    hits: bigint({ mode: 'number' }).array().notNull(),
    /** Whether the latest request was admitted. */
    admitted: boolean().notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (t) => [
    index('auth_attempts_last').on(t.lastAt),
    check('auth_attempts_ip', sql`char_length(${t.ip}) <= 64`),
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
  input: { ip: string; nowMs: number; windowMs: number; limit: number; count?: number },
): Promise<Attempt> {
  const { ip, nowMs, windowMs, limit, count = 1 } = input;
  const first = count <= limit ? count : 0;
  const rows = await tx.execute<{ admitted: boolean; used: number; oldest: string }>(sql`
    insert into auth_attempts as a (ip, hits, admitted, last_at)
    values (${ip}, array_fill(${nowMs}::bigint, array[${first}::int]), ${first > 0}, ${new Date(nowMs).toISOString()}::timestamptz)
    on conflict (ip) do update set
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
  return { admitted: row.admitted, used: row.used, oldestMs: Number(row.oldest) };
}

/**
 * Admits a request unless `limit` were admitted since the window began, which is with the first one after the last window
 * was over. For whoever asks so often that the moments of all requests are too much to keep: `hits` holds when the window
 * began, and how many there were. One statement, likewise.
 */
export async function recordInWindow(
  tx: Tx,
  input: { name: string; nowMs: number; windowMs: number; limit: number },
): Promise<Attempt> {
  const { name, nowMs, windowMs, limit } = input;
  const rows = await tx.execute<{ admitted: boolean; used: number; started: string }>(sql`
    insert into auth_attempts as a (ip, hits, admitted, last_at)
    values (${name}, array[${nowMs}::bigint, 1], true, ${new Date(nowMs).toISOString()}::timestamptz)
    on conflict (ip) do update set
      last_at = excluded.last_at,
      (hits, admitted) = (
        select case when is_over then excluded.hits when a.hits[2] < ${limit}::int then array[a.hits[1], a.hits[2] + 1] else a.hits end,
          is_over or a.hits[2] < ${limit}::int
        from (select abs(${nowMs}::bigint - a.hits[1]) >= ${windowMs}::bigint as is_over) as age
      )
    returning admitted, hits[2]::int as used, hits[1] as started`);
  const row = rows[0];
  if (!row) throw new Error('an upsert returned no row');
  return { admitted: row.admitted, used: row.used, oldestMs: Number(row.started) };
}

/** Forgets addresses whose last request is older than `before`. */
export async function deleteAttemptsBefore(tx: Tx, before: Date): Promise<void> {
  await tx.execute(sql`delete from auth_attempts where last_at < ${before.toISOString()}::timestamptz`);
}
