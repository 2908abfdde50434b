import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import type { Db, Tx } from './client.js';

const journal = new URL('../../drizzle/meta/_journal.json', import.meta.url);

/** How the schema of a database stands to that of this version. */
export interface MigrationState {
  /** Migrations of this version that the database lacks. */
  missing: number;
  /** Migrations that this version does not know: a newer one was here. */
  unknown: number;
}

/** Compares by the times at which migrations were made, as the migrator does. */
export async function findMigrationState(db: Db | Tx): Promise<MigrationState> {
  const { entries } = JSON.parse(readFileSync(journal, 'utf8')) as { entries: { when: number }[] };
  const [found] = await db.execute<{ there: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as there`,
  );
  if (!found?.there) return { missing: entries.length, unknown: 0 };
  const rows = await db.execute<{ at: string }>(
    sql`select created_at::text as at from drizzle.__drizzle_migrations`,
  );
  const known = new Set(entries.map(({ when }) => String(when)));
  const applied = new Set(rows.map(({ at }) => at));
  return {
    missing: [...known].filter((when) => !applied.has(when)).length,
    unknown: [...applied].filter((when) => !known.has(when)).length,
  };
}

/** The server's version, such as 180000, and how far its clock is ahead of ours in milliseconds. */
export async function findServerState(db: Db | Tx): Promise<{ version: number; aheadMs: number }> {
  const [row] = await db.execute<{ version: string; now_ms: string }>(
    sql`select current_setting('server_version_num') as version, extract(epoch from clock_timestamp()) * 1000 as now_ms`,
  );
  return { version: Number(row?.version), aheadMs: Number(row?.now_ms) - Date.now() };
}
