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
} from './migration-state.js';
import { grantToRuntimeRole, requireBoundRole } from './runtime-role.js';
import { missingTables, SchemaError } from './schema-error.js';
import { openSession } from './session.js';

/**
 * Brings the database at `url` to the schema of this version. Several processes may call it at once: an advisory lock
 * on a connection of its own lets one work while the others wait and then find nothing to do. With `runtimeRole` that
 * role gets the rights that processes need, and no others. When `signal` aborts, the connection ends, an unfinished
 * migration is rolled back, and the call rejects. Throws a `SchemaError`, and changes nothing, when another
 * version has migrated the database, and when the runtime role does not exist or could take every right itself.
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
    refuseUnknown(await stateOf(client));
    if (runtimeRole !== undefined) await requireBoundRole(client, runtimeRole);
    await applyMigrations(drizzle(client), { migrationsFolder });
    if (runtimeRole !== undefined) await grantToRuntimeRole(client, runtimeRole);
  } finally {
    signal?.removeEventListener('abort', cancel);
    await session.close();
  }
  signal?.throwIfAborted();
}

/** Resolves when the database at `url` has the schema of this version, and throws a `SchemaError` otherwise. */
export async function requireSchema(url: string): Promise<void> {
  const session = await openSession(url, { applicationName: 'karat-schema', statementTimeoutMs: 4_000 });
  try {
    const state = await stateOf(session.client);
    refuseUnknown(state);
    if (state.missing > 0) throw new SchemaError(missingTables);
  } finally {
    await session.close();
  }
}

function refuseUnknown({ unknown }: MigrationState): void {
  if (unknown === 0) return;
  throw new SchemaError(
    `The database has ${unknown} migrations that this version does not know: run the version of Karat that made them, or use another database`,
  );
}

async function stateOf(client: pg.Client): Promise<MigrationState> {
  const { rows } = await client.query<{ there: boolean }>(hasMigrations);
  if (!rows[0]?.there) return compareMigrations([]);
  return compareMigrations((await client.query<{ hash: string }>(appliedMigrations)).rows);
}
