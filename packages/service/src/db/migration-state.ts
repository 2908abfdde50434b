import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { toInteger } from '../domain/integer.js';
import type { Db, Tx } from './client.js';

export const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** How the schema of a database compares with that of this version. */
export interface MigrationState {
  /** Migrations of this version that the database lacks. */
  missing: number;
  /** Migrations that this version does not know: made by another version. */
  unknown: number;
}

/** Compares this version's migrations with those that a database has, by the hashes that the migrator keeps there. */
export async function findMigrationState(db: Db | Tx): Promise<MigrationState> {
  const [found] = await db.execute<{ there: boolean }>(sql.raw(hasMigrations));
  if (!found?.there) return compareMigrations([]);
  return compareMigrations(await db.execute<{ hash: string }>(sql.raw(appliedMigrations)));
}

/** Whether anything was ever migrated, and what was. */
export const hasMigrations = `select to_regclass('drizzle.__drizzle_migrations') is not null as there`;
export const appliedMigrations = 'select hash from drizzle.__drizzle_migrations';

export function compareMigrations(rows: { hash: string }[]): MigrationState {
  const known = new Set(readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash));
  const applied = new Set(rows.map(({ hash }) => hash));
  return {
    missing: [...known].filter((hash) => !applied.has(hash)).length,
    unknown: [...applied].filter((hash) => !known.has(hash)).length,
  };
}

/** Returns the server's version, such as 180000, and how far its clock is ahead of ours in milliseconds. */
export async function findServerState(db: Db | Tx): Promise<{ version: number; aheadMs: number }> {
  const [row] = await db.execute<{ version: string; now_ms: string }>(
    sql`select current_setting('server_version_num') as version, extract(epoch from clock_timestamp()) * 1000 as now_ms`,
  );
  return { version: toInteger(row?.version), aheadMs: toInteger(row?.now_ms) - Date.now() };
}

/** Returns what is the same for a database, its replicas and every way to reach them. */
export async function findDatabaseIdentity(db: Db | Tx): Promise<string> {
  const [row] = await db.execute<{ identity: string }>(
    sql`select system_identifier || ' ' || current_database() as identity from pg_control_system()`,
  );
  return String(row?.identity);
}

/** Returns those limits on the time of statements and idle transactions that the sessions of a pool do not have. */
export async function findMissingLimits(db: Db | Tx): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(
    sql`select name from pg_settings where setting = '0'
      and name in ('statement_timeout', 'idle_in_transaction_session_timeout') order by name desc`,
  );
  return rows.map(({ name }) => name);
}
