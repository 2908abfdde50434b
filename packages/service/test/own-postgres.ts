import { startEmbeddedPostgres } from './embedded-postgres.js';

/** A PostgreSQL of a test's own, with a migrated database: for tests that stop it. */
export async function startOwnPostgres() {
  const server = await startEmbeddedPostgres({ database: 'karat' });
  return { ...server, url: `${server.url}/karat` };
}
