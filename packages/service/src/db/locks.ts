import { type SQL, sql } from 'drizzle-orm';

/** Advisory locks of the service: "karat" and a number in bytes, as decimal text of a bigint. */
export const advisoryLocks = {
  migration: '118066274989057',
  indexer: '118066274989058',
  keeper: '118066274989059',
  programEvents: '118066274989061',
  reserveStatements: '118066274989062',
  kycKeys: '118066274989063',
  papers: '118066274989064',
} as const;

/** First of the two numbers of the locks of partners who have events sent again; the second is a hash of the partner's id. */
export const resendLocks = 1;
/** Likewise of partners whose streams are counted. */
export const streamLocks = 2;

/** Returns the condition that some session of this database holds an advisory lock. */
export function isLockHeld(lock: string): SQL<boolean> {
  return sql`exists (
    select from pg_locks
    where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = ${lock}::bigint
  )`;
}
