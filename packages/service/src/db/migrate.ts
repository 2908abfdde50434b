import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { advisoryLocks } from './locks.js';
import {
  appliedMigrations,
  compareMigrations,
  hasMigrations,
  type MigrationState,
  migrationsFolder,
  noteOldestCode,
} from './migration-state.js';
import { grantToRuntimeRole, requireBoundRole } from './runtime-role.js';
import { missingTables, SchemaError } from './schema-error.js';
import { openSession } from './session.js';

/**
 * Brings the database at `url` to the schema of this version. Several processes may call it at once: an advisory lock
 * on a connection of its own lets one work while the others wait and then find nothing to do. With `runtimeRole` that
 * role gets the rights that processes need, and no others. When `signal` aborts, the connection ends, an unfinished
 * migration is rolled back, and the call rejects. A database that a newer version has migrated, and on which this one runs,
 * stays as it is, rights included. Throws a `SchemaError`, and changes nothing, when this version does not run on what
 * another has migrated, and when the runtime role does not exist or could take every right itself.
 */
export async function migrate(
  url: string,
  options: { runtimeRole?: string | undefined; signal?: AbortSignal } = {},
): Promise<void> {
  const session = await openSession(url, { applicationName: 'karat-migrate' });
  const { client } = session;
  const { runtimeRole, signal } = options;
  const cancel = () => void session.close();
  signal?.addEventListener('abort', cancel);
  try {
    signal?.throwIfAborted();
    await client.query('select pg_advisory_lock($1)', [advisoryLocks.migration]);
    const state = await stateOf(client);
    refuseIncompatible(state);
    if (state.newer > 0) return;
    if (runtimeRole !== undefined) await requireBoundRole(client, runtimeRole);
    await applyMigrations(drizzle(client), { migrationsFolder });
    await noteOldestCode((text, values) => client.query(text, values));
    if (runtimeRole !== undefined) await grantToRuntimeRole(client, runtimeRole);
  } finally {
    signal?.removeEventListener('abort', cancel);
    await session.close();
  }
  signal?.throwIfAborted();
}

/**
 * Resolves when the database at `url` has the schema of this version, or of a newer one on which it may run, and throws a
 * `SchemaError` otherwise.
 */
export async function requireSchema(url: string): Promise<void> {
  const session = await openSession(url, { applicationName: 'karat-schema', statementTimeoutMs: 4_000 });
  try {
    const state = await stateOf(session.client);
    refuseIncompatible(state);
    if (state.missing > 0) throw new SchemaError(missingTables);
  } finally {
    await session.close();
  }
}

/** A newer version's migrations begin where all of this version's end: anything else was never one line of versions. */
function refuseIncompatible({ incompatible, newer, missing, oldestCode }: MigrationState): void {
  if (incompatible === 0 && (newer === 0 || missing === 0)) return;
  throw new SchemaError(
    `The database has ${incompatible + newer} migrations that this version does not know and cannot run on: run ${
      oldestCode === undefined ? 'the version of Karat that made them' : `Karat ${oldestCode} or later`
    }, or use another database`,
  );
}

async function stateOf(client: pg.Client): Promise<MigrationState> {
  const { rows } = await client.query<{ there: boolean }>(hasMigrations);
  if (!rows[0]?.there) return compareMigrations([]);
  return compareMigrations(
    (await client.query<{ hash: string; oldest_code: string | null }>(appliedMigrations)).rows,
  );
}
