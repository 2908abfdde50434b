import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm';
import { check, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { StatementId } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment, prefixed } from '../columns.js';
import { advisoryLocks } from '../locks.js';
import { findRow } from '../rows.js';

export const statementKey = prefixed('rs');

/** A signature of somebody else under the same bytes, such as the auditor's. */
export interface Countersignature {
  /** Hexadecimal. */
  public_key: string;
  /** Base64. */
  signature: string;
  /** ISO 8601. */
  at: string;
}

/** Statements of the reserves, each with the list of bars that its Merkle root is of. Only countersignatures are added later. */
export const reserveStatements = pgTable(
  'reserve_statements',
  {
    id: statementKey().primaryKey(),
    /** From 1, without gaps. */
    sequence: integer().notNull().unique(),
    madeAt: moment('made_at').notNull(),
    /** What was signed: JSON in its canonical form. */
    body: text().notNull(),
    /** SHA-256 of the body, hexadecimal; the next statement names it. */
    hash: text().notNull().unique(),
    publicKey: bytes('public_key').notNull(),
    signature: bytes().notNull(),
    /** The lines of the bars, each with an end of line, compressed by gzip. */
    bars: bytes().notNull(),
    countersignatures: jsonb().notNull().default([]).$type<Countersignature[]>(),
  },
  (t) => [
    check('reserve_statements_key', sql`octet_length(${t.publicKey}) = 32`),
    check('reserve_statements_signature', sql`octet_length(${t.signature}) = 64`),
    check('reserve_statements_hash', sql`char_length(${t.hash}) = 64`),
  ],
);

export type StoredStatement = Omit<typeof reserveStatements.$inferSelect, 'bars'>;

const { bars: _large, ...withoutBars } = {
  id: reserveStatements.id,
  sequence: reserveStatements.sequence,
  madeAt: reserveStatements.madeAt,
  body: reserveStatements.body,
  hash: reserveStatements.hash,
  publicKey: reserveStatements.publicKey,
  signature: reserveStatements.signature,
  countersignatures: reserveStatements.countersignatures,
  bars: reserveStatements.bars,
};

/** Lets one transaction at a time make a statement, until it ends. */
export async function lockStatements(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${advisoryLocks.reserveStatements}::bigint)`);
}

export async function insertStatement(
  tx: Tx,
  statement: typeof reserveStatements.$inferInsert,
): Promise<void> {
  await tx.insert(reserveStatements).values(statement);
}

/** Returns the newest statement; undefined before the first. */
export async function findNewestStatement(db: Db | Tx): Promise<StoredStatement | undefined> {
  const [newest] = await db
    .select(withoutBars)
    .from(reserveStatements)
    .orderBy(desc(reserveStatements.sequence))
    .limit(1);
  return newest;
}

/** Returns when a statement was made, by its number; undefined for one that does not exist. */
export async function findStatementTime(db: Db | Tx, sequence: number): Promise<Date | undefined> {
  const { madeAt } = reserveStatements;
  const [found] = await db
    .select({ madeAt })
    .from(reserveStatements)
    .where(eq(reserveStatements.sequence, sequence));
  return found?.madeAt;
}

/** Returns a statement; undefined for an unknown one. */
export async function findStatement(db: Db | Tx, id: StatementId): Promise<StoredStatement | undefined> {
  const [found] = await db.select(withoutBars).from(reserveStatements).where(eq(reserveStatements.id, id));
  return found;
}

/** Returns the statements behind a number, oldest first. */
export async function findStatementsAfter(db: Db | Tx, sequence: number): Promise<StoredStatement[]> {
  return db
    .select(withoutBars)
    .from(reserveStatements)
    .where(gt(reserveStatements.sequence, sequence))
    .orderBy(asc(reserveStatements.sequence));
}

/** Returns whether a statement was signed with an attestation that is of a report: SHA-256, hexadecimal. */
export async function hasStatementWithReport(db: Db | Tx, reportHash: string): Promise<boolean> {
  const named = sql`${reserveStatements.body}::jsonb #>> '{attestation,report_hash}'`;
  const found = await db
    .select({ id: reserveStatements.id })
    .from(reserveStatements)
    .where(sql`${named} = ${reportHash}`)
    .limit(1);
  return found.length > 0;
}

/** Returns the compressed lines of a statement's bars; undefined for an unknown statement. */
export async function findStatementBars(db: Db | Tx, id: StatementId): Promise<Uint8Array | undefined> {
  return (await findRow(db, reserveStatements, eq(reserveStatements.id, id)))?.bars;
}

/** Adds a countersignature to a statement, in the place of an earlier one by the same key; false for an unknown statement. */
export async function addCountersignature(
  tx: Tx,
  id: StatementId,
  countersignature: Countersignature,
): Promise<boolean> {
  const statement = await findRow(tx, reserveStatements, eq(reserveStatements.id, id), 'no key update');
  if (!statement) return false;
  const others = statement.countersignatures.filter(
    ({ public_key }) => public_key !== countersignature.public_key,
  );
  await tx
    .update(reserveStatements)
    .set({ countersignatures: [...others, countersignature] })
    .where(eq(reserveStatements.id, id));
  return true;
}

/** Returns a hash of all countersignatures, which shows that one was added or replaced. */
export async function hashCountersignatures(db: Db | Tx): Promise<string> {
  const { sequence, countersignatures } = reserveStatements;
  const [row] = await db
    .select({
      all: sql<string>`md5(coalesce(string_agg(${countersignatures}::text, '' order by ${sequence}), ''))`,
    })
    .from(reserveStatements);
  return row?.all ?? '';
}

/** Clocks of processes may differ by so much, and transactions take so long to become visible. */
const toleranceMs = 10_000;

/** Returns the last statement made while a bar was held, and the first one made after it had left, when there are such. */
export async function findStatementsAround(
  db: Db | Tx,
  held: { since: Date; until: Date },
): Promise<{ heldIn: StatementId | undefined; leftIn: StatementId | undefined }> {
  const { id, madeAt } = reserveStatements;
  const select = () => db.select({ id }).from(reserveStatements).$dynamic();
  const later = (date: Date) => new Date(date.getTime() + toleranceMs);
  const earlier = (date: Date) => new Date(date.getTime() - toleranceMs);
  const [before] = await select()
    .where(and(gt(madeAt, later(held.since)), lt(madeAt, earlier(held.until))))
    .orderBy(desc(reserveStatements.sequence))
    .limit(1);
  const [after] = await select()
    .where(gt(madeAt, later(held.until)))
    .orderBy(asc(reserveStatements.sequence))
    .limit(1);
  return { heldIn: before?.id, leftIn: after?.id };
}
