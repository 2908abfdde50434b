import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from './embedded-postgres.js';

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

/** Starts one PostgreSQL for the whole run, with a migrated template that every suite clones for itself. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startEmbeddedPostgres({
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
  project.provide('postgresUrl', postgres.url);
  const docsFolder = mkdtempSync(join(tmpdir(), 'karat-docs-'));
  project.provide('docsFolder', docsFolder);
  return async () => {
    rmSync(docsFolder, { recursive: true, force: true });
    await postgres.remove();
  };
}
