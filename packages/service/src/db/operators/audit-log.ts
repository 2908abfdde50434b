import { and, asc, desc, eq, gt, gte, inArray, lt, or, sql } from 'drizzle-orm';
import { bigint, check, index, jsonb, pgTable, smallint, text } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { type CreatedRange, createdWithin, type Filter, matching } from '../page.js';
import { people, personId } from '../people/people.js';

/**
 * Every change that people make, written in the transaction of the change. Rows are numbered without gaps and each
 * carries the hash of the one before it; a trigger refuses to change or delete them.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    seq: bigint({ mode: 'number' }).primaryKey(),
    at: moment('at').notNull(),
    /** Null for what the command line did, which knows no person. */
    personId: personId('person_id'),
    /** Such as `partner.suspend`. */
    action: text().notNull(),
    objectType: text('object_type').notNull(),
    objectId: text('object_id').notNull(),
    /** Null for what was not there before, or is no more. Never holds KYC data or secrets. */
    before: jsonb().$type<Record<string, unknown>>(),
    after: jsonb().$type<Record<string, unknown>>(),
    reason: text(),
    requestId: text('request_id'),
    previousHash: bytes('previous_hash').notNull(),
    hash: bytes().notNull(),
  },
  (t) => [
    index('audit_log_object').on(t.objectType, t.objectId, t.seq),
    index('audit_log_object_type').on(t.objectType, t.seq),
    index('audit_log_object_id').on(t.objectId, t.seq),
    index('audit_log_person').on(t.personId, t.seq),
    index('audit_log_action').on(t.action, t.seq),
    check('audit_log_action_form', sql`${t.action} ~ '^[a-z_]+\\.[a-z_]+$'`),
    check('audit_log_object_type_form', sql`${t.objectType} ~ '^[a-z_]+$'`),
    check('audit_log_hashes', sql`octet_length(${t.previousHash}) = 32 and octet_length(${t.hash}) = 32`),
    check('audit_log_reason_length', sql`char_length(${t.reason}) <= 1000`),
  ],
);

/**
 * The end of the chain, in one row that writers lock, so that rows cut off at the end are missed. A trigger of the log
 * moves it to each new row, as the owner of the tables: the role of the processes may only read and lock it.
 */
export const auditHead = pgTable(
  'audit_head',
  {
    id: smallint().primaryKey().default(1),
    seq: bigint({ mode: 'number' }).notNull(),
    hash: bytes().notNull(),
  },
  (t) => [check('audit_head_single', sql`${t.id} = 1`)],
);

export type AuditRow = typeof auditLog.$inferSelect;
/** A row as what names it: its number, and its hash, which covers all rows before it. */
export type AuditHead = Pick<AuditRow, 'seq' | 'hash'>;
/** A row without what links it into the chain. */
export type AuditEntry = Omit<AuditRow, 'seq' | 'previousHash' | 'hash'>;

/** Locks and returns the end of the chain until the transaction ends: rows are written one after the other. */
export async function lockAuditHead(tx: Tx): Promise<AuditHead> {
  const [head] = await tx.select({ seq: auditHead.seq, hash: auditHead.hash }).from(auditHead).for('update');
  if (!head) throw new Error('the audit log has lost its head');
  return head;
}

/** Writes rows in their order, of which the last becomes the end of the chain. Needs the head's lock. */
export async function appendAuditRows(tx: Tx, rows: AuditRow[]): Promise<void> {
  await tx.insert(auditLog).values(rows);
}

/** Returns rows behind a number, in their order. */
export async function findAuditRowsAfter(db: Db | Tx, seq: number, limit: number): Promise<AuditRow[]> {
  return db.select().from(auditLog).where(gt(auditLog.seq, seq)).orderBy(asc(auditLog.seq)).limit(limit);
}

/** Returns the end of the chain, as the log itself records it. */
export async function findAuditHead(db: Db | Tx): Promise<AuditHead | undefined> {
  const [head] = await db.select({ seq: auditHead.seq, hash: auditHead.hash }).from(auditHead);
  return head;
}

/** Returns a page of what members of a partner did, and of failed attempts to sign in as one, newest first, behind a number. */
export async function findPartnerAuditRows(
  db: Db | Tx,
  partnerId: Uuid,
  page: { limit: number; after: number | undefined },
): Promise<NamedAuditRow[]> {
  const members = db.select({ id: people.id }).from(people).where(eq(people.partnerId, partnerId));
  const memberIds = db
    .select({ id: sql<string>`${people.id}::text` })
    .from(people)
    .where(eq(people.partnerId, partnerId));
  const isOwn = or(
    inArray(auditLog.personId, members),
    and(eq(auditLog.objectType, 'member'), inArray(auditLog.objectId, memberIds)),
  );
  const found = await db
    .select({ row: auditLog, personName: people.name, partnerId: people.partnerId })
    .from(auditLog)
    .leftJoin(people, eq(people.id, auditLog.personId))
    .where(and(isOwn, page.after === undefined ? undefined : lt(auditLog.seq, page.after)))
    .orderBy(desc(auditLog.seq))
    .limit(page.limit);
  return found.map(({ row, ...by }) => ({ ...row, ...by }));
}

type AuditedObject = Pick<AuditRow, 'objectType' | 'objectId'>;

/** Returns whether the log has a row of an action on an object since a time, with `fields` in what it says of it afterwards. */
export async function hasAuditRowSince(
  db: Db | Tx,
  { action, objectType, objectId }: AuditedObject & Pick<AuditRow, 'action'>,
  fields: Record<string, unknown>,
  since: Date,
): Promise<boolean> {
  const about = [eq(auditLog.objectType, objectType), eq(auditLog.objectId, objectId)];
  const has = sql`${auditLog.after} @> ${JSON.stringify(fields)}::jsonb`;
  const found = await db
    .select({ seq: auditLog.seq })
    .from(auditLog)
    .where(and(...about, eq(auditLog.action, action), gte(auditLog.at, since), has))
    .limit(1);
  return found.length > 0;
}

/** Returns the newest row about an object. */
export async function findLastAuditRow(
  db: Db | Tx,
  { objectType, objectId }: AuditedObject,
): Promise<AuditRow | undefined> {
  const [row] = await db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.objectType, objectType), eq(auditLog.objectId, objectId)))
    .orderBy(desc(auditLog.seq))
    .limit(1);
  return row;
}

/** Returns the hashes of rows by their numbers; those that are not there are missing. */
export async function findAuditHashes(
  db: Db | Tx,
  seqs: readonly number[],
): Promise<Map<number, Uint8Array>> {
  const rows = await db
    .select({ seq: auditLog.seq, hash: auditLog.hash })
    .from(auditLog)
    .where(inArray(auditLog.seq, [...seqs]));
  return new Map(rows.map(({ seq, hash }) => [seq, hash]));
}

/** A row of the audit log with the name of its person, null for the command line, and the partner of a member. */
export type NamedAuditRow = AuditRow & { personName: string | null; partnerId: Uuid | null };

/** Whether a row is about an object, was made by a request, or is of an action. */
const isAbout = (q: string) =>
  or(eq(auditLog.objectId, q), eq(auditLog.action, q), eq(auditLog.requestId, q));

/** Returns a page of the audit log, newest first, behind a number. */
export async function findAuditRows(
  db: Db | Tx,
  filter: Filter<typeof auditLog>,
  page: {
    limit: number;
    after: number | undefined;
    created?: CreatedRange | undefined;
    q?: string | undefined;
  },
): Promise<NamedAuditRow[]> {
  const found = await db
    .select({ row: auditLog, personName: people.name, partnerId: people.partnerId })
    .from(auditLog)
    .leftJoin(people, eq(people.id, auditLog.personId))
    .where(
      and(
        ...matching(auditLog, filter),
        ...createdWithin(auditLog.at, page.created),
        page.q === undefined ? undefined : isAbout(page.q),
        page.after === undefined ? undefined : lt(auditLog.seq, page.after),
      ),
    )
    .orderBy(desc(auditLog.seq))
    .limit(page.limit);
  return found.map(({ row, ...by }) => ({ ...row, ...by }));
}
