import { and, asc, eq, lte } from 'drizzle-orm';
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { partnerId } from '../partners/partners.js';
import { insertNew } from '../rows.js';
import type { PaperKind, PaperSubject } from './papers.js';

/** Papers that callers have requested, for the process that holds the key: receipts, and statements that are to be looked through. */
export const paperRequests = pgTable(
  'paper_requests',
  {
    partnerId: partnerId().notNull(),
    kind: text().notNull().$type<PaperKind>(),
    subject: text().notNull(),
    requestedAt: moment('requested_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.partnerId, t.kind, t.subject] })],
);

export type PaperRequest = typeof paperRequests.$inferSelect;

/** Requests a paper, unless it is requested already. */
export async function insertPaperRequest(tx: Tx, request: PaperRequest): Promise<void> {
  await insertNew(tx, paperRequests, request);
}

/** Returns requests that are not carried out, oldest first. */
export async function findPaperRequests(db: Db | Tx, limit: number): Promise<PaperRequest[]> {
  return db.select().from(paperRequests).orderBy(asc(paperRequests.requestedAt)).limit(limit);
}

/** Returns whether a request from before this moment still waits: no process signs papers. */
export async function hasOldRequest(db: Db | Tx, before: Date): Promise<boolean> {
  const found = await db
    .select({ at: paperRequests.requestedAt })
    .from(paperRequests)
    .where(lte(paperRequests.requestedAt, before))
    .limit(1);
  return found.length > 0;
}

/** Removes a request that was carried out, unless it was made again since. */
export async function deletePaperRequest(tx: Tx, { requestedAt, ...request }: PaperRequest): Promise<void> {
  await tx.delete(paperRequests).where(and(isRequest(request), lte(paperRequests.requestedAt, requestedAt)));
}

const isRequest = ({ partnerId, kind, subject }: PaperSubject) =>
  and(
    eq(paperRequests.partnerId, partnerId),
    eq(paperRequests.kind, kind),
    eq(paperRequests.subject, subject),
  );
