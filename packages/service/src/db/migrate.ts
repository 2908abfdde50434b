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
import { openSession } from './session.js';

/** The database has migrations that this version does not know. */
export class UnknownMigrationsError extends Error {
  override name = 'UnknownMigrationsError';
}

/**
 * Brings the database at `url` to the schema of this version. Several processes may call it at once: an advisory lock
 * on a connection of its own lets one work while the others wait and then find nothing to do. Throws an
 * `UnknownMigrationsError`, and changes nothing, when another version has migrated the database.
 */
export async function migrate(url: string): Promise<void> {
  const session = await openSession(url, { applicationName: 'karat-migrate' });
  try {
    await session.client.query('select pg_advisory_lock($1)', [advisoryLocks.migration]);
    const { unknown } = await stateOf(session.client);
    if (unknown > 0) {
      throw new UnknownMigrationsError(
        `The database has ${unknown} migrations that this version does not know: run the version of Karat that made them, or use another database`,
      );
    }
    await applyMigrations(drizzle(session.client), { migrationsFolder });
  } finally {
    await session.close();
  }
}

async function stateOf(client: pg.Client): Promise<MigrationState> {
  const { rows } = await client.query<{ there: boolean }>(hasMigrations);
  if (!rows[0]?.there) return compareMigrations([]);
  return compareMigrations((await client.query<{ hash: string }>(appliedMigrations)).rows);
}
