import { createHash } from 'node:crypto';
import { desc, eq, sql } from 'drizzle-orm';
import { check, pgTable, text } from 'drizzle-orm/pg-core';
import { maxReportBytes, type ReportType } from '../../domain/reserves/report.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { findRow, insertNew } from '../rows.js';

/** Reports of the attestor, which anyone may read. Each is known by its SHA-256, which is what the attestation on the chain has. */
export const reserveReports = pgTable(
  'reserve_reports',
  {
    /** SHA-256 of the content, hexadecimal. */
    hash: text().primaryKey(),
    type: text().notNull().$type<ReportType>(),
    content: bytes().notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    check('reserve_reports_hash', sql`${t.hash} = encode(sha256(${t.content}), 'hex')`),
    check('reserve_reports_type', sql`${t.type} in ('application/pdf', 'text/plain')`),
    check(
      'reserve_reports_size',
      sql`octet_length(${t.content}) between 1 and ${sql.raw(String(maxReportBytes))}`,
    ),
  ],
);

/** A report without its content. */
export interface ListedReport {
  hash: string;
  type: ReportType;
  bytes: number;
  createdAt: Date;
}

/** Writes a report, unless it is there already. Returns its SHA-256, hexadecimal. */
export async function insertReport(
  tx: Tx,
  { content, type }: { content: Uint8Array; type: ReportType },
  createdAt: Date,
): Promise<string> {
  const hash = createHash('sha256').update(content).digest('hex');
  await insertNew(tx, reserveReports, { hash, type, content, createdAt });
  return hash;
}

/** Returns all reports, the newest first. */
export async function findReports(db: Db): Promise<ListedReport[]> {
  const { hash, type, content, createdAt } = reserveReports;
  const size = sql<number>`octet_length(${content})`;
  return db
    .select({ hash, type, bytes: size, createdAt })
    .from(reserveReports)
    .orderBy(desc(createdAt), desc(hash));
}

/** Returns a report with its content; undefined for an unknown one. */
export const findReport = (db: Db, hash: string) =>
  findRow(db, reserveReports, eq(reserveReports.hash, hash));
