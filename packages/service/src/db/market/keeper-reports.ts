import { getTableColumns, sql } from 'drizzle-orm';
import { pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import { toInteger } from '../../domain/integer.js';
import { type KeeperReport, type WatchName, watchStatuses } from '../../domain/keeper-report.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';

export const keeperStatus = pgEnum('keeper_status', watchStatuses);

/** One row for each thing that the keeper watches: what it last saw, and since when the status is that. */
export const keeperReports = pgTable('keeper_reports', {
  name: text().primaryKey().$type<WatchName>(),
  status: keeperStatus().notNull(),
  value: text(),
  detail: text().notNull(),
  /** By the clock of the database, so that any process can compute the age of a report. */
  checkedAt: moment('checked_at').notNull(),
  changedAt: moment('changed_at').notNull(),
});

/** Replaces the reports of these names. */
export async function saveKeeperReports(tx: Tx, reports: KeeperReport[]): Promise<void> {
  const now = sql`clock_timestamp()`;
  await tx
    .insert(keeperReports)
    .values(reports.map((report) => ({ ...report, checkedAt: now, changedAt: now })))
    .onConflictDoUpdate({
      target: keeperReports.name,
      set: {
        status: sql`excluded.status`,
        value: sql`excluded.value`,
        detail: sql`excluded.detail`,
        checkedAt: sql`excluded.checked_at`,
        changedAt: sql`case when ${keeperReports.status} = excluded.status then ${keeperReports.changedAt} else excluded.changed_at end`,
      },
    });
}

export interface StoredKeeperReport extends KeeperReport {
  /** Since the keeper last looked; one that runs looks every few seconds. */
  ageMs: number;
  checkedAt: Date;
  /** Since when the status is what it is. */
  changedAt: Date;
}

/** Returns what the keeper of whichever process saw last, by name. Empty before the first round of the first keeper. */
export async function findKeeperReports(db: Db | Tx): Promise<StoredKeeperReport[]> {
  const rows = await db
    .select({
      ...getTableColumns(keeperReports),
      age: sql<string>`extract(epoch from clock_timestamp() - ${keeperReports.checkedAt}) * 1000`,
    })
    .from(keeperReports)
    .orderBy(keeperReports.name);
  return rows.map(({ age, ...report }) => ({ ...report, ageMs: toInteger(age) }));
}
