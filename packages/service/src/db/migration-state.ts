import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { toInteger } from '../domain/integer.js';
import { version } from '../version.js';
import type { Db, Tx } from './client.js';

export const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** How the schema of a database compares with that of this version. */
export interface MigrationState {
  /** Migrations of this version that the database lacks. */
  missing: number;
  /** Migrations that this version does not know, made by a newer one, and on which it runs all the same. */
  newer: number;
  /** Migrations that this version does not know, and on which it must not run. */
  incompatible: number;
  /** The oldest version that runs on all of those, if each states one. */
  oldestCode: string | undefined;
}

/** A migration that a database has, and the oldest version of Karat that it says may run on it. */
interface AppliedMigration extends Record<string, unknown> {
  hash: string;
  oldest_code: string | null;
}

/** The migrations of this version: their hashes, and the oldest version that may run on each, by its first line. */
export function knownMigrations(folder = migrationsFolder): { hash: string; oldestCode: string }[] {
  return readMigrationFiles({ migrationsFolder: folder }).map(({ hash, sql: [first = ''] }) => {
    const [, oldestCode] = /^-- oldest code: (\d+\.\d+\.\d+)\n/.exec(first) ?? [];
    if (oldestCode === undefined) throw new Error(`a migration does not begin with -- oldest code: ${first}`);
    return { hash, oldestCode };
  });
}

/** Compares this version's migrations with those that a database has, by the hashes that the migrator keeps there. */
export async function findMigrationState(db: Db | Tx): Promise<MigrationState> {
  const [found] = await db.execute<{ there: boolean }>(sql.raw(hasMigrations));
  if (!found?.there) return compareMigrations([]);
  return compareMigrations(await db.execute<AppliedMigration>(sql.raw(appliedMigrations)));
}

/** Whether anything was ever migrated, and what was. */
export const hasMigrations = `select to_regclass('drizzle.__drizzle_migrations') is not null as there`;
/** The column is `migrate`'s own, and is not there before it has finished once. */
export const appliedMigrations = `select hash, to_jsonb(migration) ->> 'oldest_code' as oldest_code
  from drizzle.__drizzle_migrations migration`;

export function compareMigrations(
  rows: AppliedMigration[],
  known = knownMigrations(),
  ownVersion = version,
): MigrationState {
  const hashes = new Set(known.map(({ hash }) => hash));
  const applied = new Set(rows.map(({ hash }) => hash));
  const unknown = rows.filter(({ hash }) => !hashes.has(hash));
  const isNewer = ({ oldest_code }: AppliedMigration) =>
    oldest_code !== null && compareVersions(oldest_code, ownVersion) <= 0;
  const stated = unknown.map(({ oldest_code }) => oldest_code);
  return {
    missing: known.filter(({ hash }) => !applied.has(hash)).length,
    newer: unknown.filter(isNewer).length,
    incompatible: unknown.filter((row) => !isNewer(row)).length,
    oldestCode: stated.includes(null)
      ? undefined
      : stated
          .flatMap((each) => each ?? [])
          .sort(compareVersions)
          .at(-1),
  };
}

/** Orders versions, such as 0.10.0 after 0.9.1. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split(/[.-]/).slice(0, 3).map(toInteger));
  for (const [at, part] of (left ?? []).entries()) if (part !== right?.[at]) return part - (right?.[at] ?? 0);
  return 0;
}

/** Notes in the database which code may run on the migrations of this version. */
export async function noteOldestCode(
  query: (text: string, values?: string[]) => Promise<unknown>,
): Promise<void> {
  await query('alter table drizzle.__drizzle_migrations add column if not exists oldest_code text');
  for (const { hash, oldestCode } of knownMigrations()) {
    await query('update drizzle.__drizzle_migrations set oldest_code = $2 where hash = $1', [
      hash,
      oldestCode,
    ]);
  }
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
