import { sql } from 'drizzle-orm';
import { toInteger } from '../domain/integer.js';
import type { Db, Tx } from './client.js';

/** Returns the id of the server's process that serves this session. */
export async function findBackend(db: Db | Tx): Promise<number> {
  const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return toInteger(row?.pid);
}

/** Returns how many standbys stream from this server, and whether its commits wait for one. Any role may know. */
export async function findStandbys(db: Db | Tx): Promise<{ standbys: number; waits: boolean }> {
  const [row] = await db.execute<{ standbys: string; names: string }>(
    sql`select count(*) as standbys, current_setting('synchronous_standby_names') as names from pg_stat_replication`,
  );
  return { standbys: toInteger(row?.standbys), waits: row?.names !== '' };
}

/**
 * Returns how many bytes of the primary's write-ahead log a replica has not replayed, and how many seconds ago what it
 * replayed last was committed; undefined if it has replayed nothing since it started.
 */
export async function howFarBehind(
  primary: Db | Tx,
  replica: Db | Tx,
): Promise<{ bytes: number; seconds: number | undefined }> {
  const [own] = await primary.execute<{ lsn: string }>(sql`select pg_current_wal_lsn() as lsn`);
  const [row] = await replica.execute<{ bytes: string | null; seconds: string | null }>(sql`
    select greatest(pg_wal_lsn_diff(${own?.lsn}, pg_last_wal_replay_lsn()), 0)::bigint as bytes,
      extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::bigint as seconds
    where pg_is_in_recovery()`);
  const seconds = row?.seconds ?? null;
  return { bytes: toInteger(row?.bytes ?? 0), seconds: seconds === null ? undefined : toInteger(seconds) };
}
