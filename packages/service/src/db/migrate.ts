import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { advisoryLocks } from './locks.js';

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/**
 * Brings the database at `url` to the schema of this version. Several processes may call it at once: an advisory lock
 * on a connection of its own lets one work while the others wait and then find nothing to do.
 */
export async function migrate(url: string): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 3,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'karat-migrate' },
  });
  try {
    await sql`select pg_advisory_lock(${advisoryLocks.migration}::bigint)`;
    await applyMigrations(drizzle(sql), { migrationsFolder });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
