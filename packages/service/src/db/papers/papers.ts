import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { check, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { advisoryLocks } from '../locks.js';
import { partnerId } from '../partners/partners.js';

/** What papers are about: a partner's month, a trade, a hand-over. */
export const paperKinds = ['statement', 'trade', 'redemption'] as const;
export type PaperKind = (typeof paperKinds)[number];

/** Papers that were signed for partners: statements and receipts. A trigger in `rules.sql` keeps every one as it was issued. */
export const papers = pgTable(
  'papers',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    partnerId: partnerId().notNull(),
    kind: text().notNull().$type<PaperKind>(),
    /** The month of a statement, the id of a trade or a redemption. */
    subject: text().notNull(),
    /** Of statements: from 1 for each partner, without gaps. */
    number: integer(),
    /** Number of the statement that this one corrects. */
    corrects: integer(),
    issuedAt: moment('issued_at').notNull(),
    /** What was signed: JSON in its canonical form. */
    body: text().notNull(),
    /** SHA-256 of the body, hexadecimal. */
    hash: text().notNull(),
    publicKey: bytes('public_key').notNull(),
    signature: bytes().notNull(),
    /** The signature of the summary of a statement, which has room in a QR code. */
    sealSignature: bytes('seal_signature'),
  },
  (t) => [
    unique('papers_number').on(t.partnerId, t.number),
    // One paper of each subject, and one correction of each statement.
    unique('papers_subject').on(t.partnerId, t.kind, t.subject, t.corrects).nullsNotDistinct(),
    check('papers_kind', sql`${t.kind} in ('statement', 'trade', 'redemption')`),
    check('papers_statement', sql`(${t.kind} = 'statement') = (${t.number} is not null)`),
    check('papers_sealed', sql`(${t.kind} = 'statement') = (${t.sealSignature} is not null)`),
    check('papers_corrects', sql`${t.corrects} is null or ${t.corrects} < ${t.number}`),
    check('papers_hash', sql`${t.hash} = encode(sha256(convert_to(${t.body}, 'UTF8')), 'hex')`),
    check('papers_key', sql`octet_length(${t.publicKey}) = 32`),
    check('papers_signature', sql`octet_length(${t.signature}) = 64`),
  ],
);

export type Paper = typeof papers.$inferSelect;

/** What a paper is about. */
export type PaperSubject = Pick<Paper, 'partnerId' | 'kind' | 'subject'>;

/** Lets one transaction at a time issue papers, until it ends. */
export async function lockPapers(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${advisoryLocks.papers}::bigint)`);
}

export async function insertPaper(tx: Tx, paper: Paper): Promise<void> {
  await tx.insert(papers).values(paper);
}

/** Returns the newest paper of a subject; undefined before the first. */
export async function findPaper(
  db: Db | Tx,
  { partnerId, kind, subject }: PaperSubject,
): Promise<Paper | undefined> {
  const [found] = await db
    .select()
    .from(papers)
    .where(and(eq(papers.partnerId, partnerId), eq(papers.kind, kind), eq(papers.subject, subject)))
    .orderBy(sql`${papers.number} desc nulls last`)
    .limit(1);
  return found;
}

/** Returns the number of a partner's newest statement; 0 before the first. */
export async function findLastNumber(db: Db | Tx, partner: Uuid): Promise<number> {
  const [found] = await db
    .select({ number: papers.number })
    .from(papers)
    .where(and(eq(papers.partnerId, partner), eq(papers.kind, 'statement')))
    .orderBy(desc(papers.number))
    .limit(1);
  return found?.number ?? 0;
}

/** Returns the months of which partners have a statement, by the partner's id. */
export async function findStatedMonths(db: Db | Tx): Promise<Map<Uuid, Set<string>>> {
  const rows = await db
    .select({ partnerId: papers.partnerId, subject: papers.subject })
    .from(papers)
    .where(and(eq(papers.kind, 'statement'), isNull(papers.corrects)));
  const months = new Map<Uuid, Set<string>>();
  for (const { partnerId, subject } of rows)
    months.set(partnerId, (months.get(partnerId) ?? new Set()).add(subject));
  return months;
}

/** Returns the keys that have signed papers or statements of the reserves, hexadecimal. */
export async function findSigningKeys(db: Db | Tx): Promise<string[]> {
  const rows = await db.execute<{ key: string }>(sql`
    select distinct encode(public_key, 'hex') as key from (
      select public_key from papers union all select public_key from reserve_statements
    ) as signed order by key`);
  return rows.map(({ key }) => key);
}
