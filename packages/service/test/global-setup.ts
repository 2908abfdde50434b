import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type EmbeddedServer, startEmbeddedPostgres } from './embedded-postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Server of the run, without a database name. */
    postgresUrl: string;
    /** The service as a script that node runs as it is. */
    serviceScript: string;
    signerScript: string;
    /** Where the first test that needs the documentation builds it. */
    docsFolder: string;
  }
}

const start = () =>
  startEmbeddedPostgres({
    database: 'karat_template',
    // Nothing here has to survive a crash of the machine, and nothing has to be copied by way of the log.
    settings: [
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'wal_level=minimal',
      'max_wal_senders=0',
      // Its folder may be in memory.
      'max_wal_size=128MB',
      'min_wal_size=32MB',
      'max_connections=300',
      // No database lives long enough to need it.
      'autovacuum=off',
    ],
  });

/** The server of the run, which loads this module once for each project. */
const run = globalThis as typeof globalThis & {
  karatPostgres?: { server: Promise<EmbeddedServer>; projects: number } | undefined;
};

async function release(): Promise<void> {
  const shared = run.karatPostgres;
  if (!shared) return;
  shared.projects -= 1;
  if (shared.projects > 0) return;
  run.karatPostgres = undefined;
  await (await shared.server).remove();
}

/** Starts one PostgreSQL for the whole run, with a migrated template that every suite clones for itself. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.karatPostgres ??= { server: start(), projects: 0 };
  run.karatPostgres.projects += 1;
  const postgres = await run.karatPostgres.server;
  project.provide('postgresUrl', postgres.url);
  const docsFolder = mkdtempSync(join(tmpdir(), 'karat-docs-'));
  project.provide('docsFolder', docsFolder);
  return async () => {
    rmSync(docsFolder, { recursive: true, force: true });
    await release();
  };
}
