import { sql } from 'drizzle-orm';
import type { Db, Tx } from './client.js';

/** Advisory locks of the service: "karat" and a number in bytes, as decimal text of a bigint. */
export const advisoryLocks = {
  migration: '118066274989057',
  indexer: '118066274989058',
} as const;

/** Whether some session of this database holds an advisory lock. */
export async function isLockHeld(db: Db | Tx, lock: string): Promise<boolean> {
  const rows = await db.execute<{ held: boolean }>(sql`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and granted and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = ${lock}::bigint
    ) as held`);
  return rows[0]?.held === true;
}
