import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import { advisoryLocks } from './locks.js';
import { openSession } from './session.js';

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/**
 * Brings the database at `url` to the schema of this version. Several processes may call it at once: an advisory lock
 * on a connection of its own lets one work while the others wait and then find nothing to do.
 */
export async function migrate(url: string): Promise<void> {
  const session = await openSession(url, { applicationName: 'karat-migrate' });
  try {
    await session.client.query('select pg_advisory_lock($1)', [advisoryLocks.migration]);
    await applyMigrations(drizzle(session.client), { migrationsFolder });
  } finally {
    await session.close();
  }
}
