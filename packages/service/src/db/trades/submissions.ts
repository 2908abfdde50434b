import { and, asc, eq, inArray, not, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, check, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { prefixedId, type RedemptionId, type TradeId, type Uuid, uuidOf } from '../../domain/ids.js';
import type { TxSignature } from '../../domain/solana.js';
import { submissionMove, submissionStatuses } from '../../domain/submission.js';
import { guardedTransactions } from '../approvals/guarded-transactions.js';
import type { Db, Tx } from '../client.js';
import { address, hasBytes, int64, moment, statusIn, txSignature } from '../columns.js';
import { canLandNoMore, type Ends, isComplete } from '../ended.js';
import { appendEvents, type NewEvent } from '../events/events.js';
import { type Failure, failure, noFailure } from '../failure.js';
import { isFinal } from '../indexing/finality.js';
import { behindHeight } from '../page.js';
import { partnerId } from '../partners/partners.js';
import { deleteSomeBefore } from '../rows.js';
import { trades } from './trades.js';

export const operationKinds = ['buy', 'sell', 'redemption'] as const;
export type OperationKind = (typeof operationKinds)[number];
export const operationKind = pgEnum('operation_kind', operationKinds);
export const submissionStatus = pgEnum('submission_status', submissionStatuses);

/** Transactions of quotes that were sent to the chain by the service: one a quote, written before the first sending. */
export const submissions = pgTable(
  'submissions',
  {
    /** UUID of a trade or of a redemption. */
    quoteId: uuid('quote_id').primaryKey().$type<Uuid>(),
    partnerId: partnerId().notNull(),
    kind: operationKind().notNull(),
    status: submissionStatus().notNull(),
    userWallet: address('user_wallet').notNull(),
    /** What was sent first; one with guards may have followed. */
    txSignature: txSignature('tx_signature').notNull(),
    /** The transaction cannot land above this block height. */
    lastValidBlockHeight: int64('last_valid_block_height').notNull(),
    /** When that will be, by estimate. */
    expiresAt: moment('expires_at').notNull(),
    /** Why the node refused it when it was sent last; all null if it did not. */
    ...failure(),
    /** The `x-request-id` of the request that sent it first. */
    requestId: text('request_id').notNull(),
    /** The trace of that request, as W3C Trace Context writes it; null if none was recorded. */
    traceparent: text('traceparent'),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    index('submissions_created').on(t.createdAt),
    index('submissions_open').on(t.lastValidBlockHeight, t.quoteId).where(openTrade(t)),
    check('submissions_lengths', sql`${hasBytes(t.userWallet, 32)} and ${hasBytes(t.txSignature, 64)}`),
    check('submissions_traceparent', sql`${t.traceparent} ~ '^[0-9a-f-]{55}$'`),
    check('submissions_refusal', sql`(${t.failureReason} is null) = (${t.reason} is null)`),
  ],
);

type Row = typeof submissions.$inferSelect;
export type NewSubmission = Omit<Row, 'status' | keyof Failure>;
export type Submission = Row;

/** Condition: what was sent is a trade of which it is not known how it ended. */
export function openTrade({ status, kind }: { status: AnyPgColumn; kind: AnyPgColumn }): SQL {
  return sql`${statusIn(status, submissionMove('expire').from)} and ${kind} <> 'redemption'`;
}

/** Returns the id by which callers know what was submitted. */
export function operationIdOf({ kind, quoteId }: Pick<Row, 'kind' | 'quoteId'>): TradeId | RedemptionId {
  return prefixedId(kind === 'redemption' ? 'red' : 'trd', quoteId);
}

/** Returns the requests that sent the transactions of these quotes, by the id of the trade or redemption. */
export async function findSubmitters(
  db: Db | Tx,
  quoteIds: Uuid[],
): Promise<Map<string, Pick<Row, 'requestId' | 'traceparent'>>> {
  if (quoteIds.length === 0) return new Map();
  const { quoteId, kind, requestId, traceparent } = submissions;
  const found = await db
    .select({ quoteId, kind, requestId, traceparent })
    .from(submissions)
    .where(eq(quoteId, sql`any(${sql.param(quoteIds)}::uuid[])`));
  return new Map(found.map((row) => [operationIdOf(row), row]));
}

/**
 * Writes down what is about to be sent, and appends events to the log if it was not sent before: one statement. A refusal of
 * an earlier sending is forgotten. Returns whether the transaction of the quote was sent before, whatever became of that.
 */
export async function insertSubmission(
  db: Db | Tx,
  submission: NewSubmission,
  events: readonly NewEvent[],
): Promise<boolean> {
  const insert = db
    .insert(submissions)
    .values({ ...submission, status: 'submitted' })
    .onConflictDoUpdate({
      target: submissions.quoteId,
      set: noFailure,
      setWhere: sql`${submissions.reason} is not null`,
    })
    .returning({ fresh: sql<boolean>`(xmax = 0)`.as('fresh') });
  if (events.length > 0) return !(await appendEvents(db, events, submission.createdAt, insert.getSQL()));
  const [written] = await insert;
  return written?.fresh !== true;
}

/** Notes why the node refused what was sent last. */
export async function noteRefusal(db: Db | Tx, id: TradeId | RedemptionId, refusal: Failure): Promise<void> {
  await db
    .update(submissions)
    .set(refusal)
    .where(eq(submissions.quoteId, uuidOf(id)));
}

/** Returns what was sent for a quote; its signature is that of the one with guards if there is one. */
export async function findSubmission(
  db: Db | Tx,
  id: TradeId | RedemptionId,
): Promise<Submission | undefined> {
  const [found] = await db
    .select({ submission: submissions, guarded: guardedTransactions.txSignature })
    .from(submissions)
    .leftJoin(guardedTransactions, eq(guardedTransactions.quoteId, submissions.quoteId))
    .where(eq(submissions.quoteId, uuidOf(id)));
  return found && { ...found.submission, txSignature: found.guarded ?? found.submission.txSignature };
}

/** Condition: a trade that was sent has a record. */
// No EXISTS, for which PostgreSQL may read all trades.
export const isRecordedTrade = sql`(select true from ${trades} where ${trades.id} = ${submissions.quoteId}) is not null`;
/** Condition: a trade that was sent has a record that is final. */
export const hasFinalRecord = sql`coalesce(
  (select ${isFinal(trades, 'trade')} from ${trades} where ${trades.id} = ${submissions.quoteId}), false)`;

/** A trade that was sent and is open, and all its signatures. */
export interface OpenSubmission extends Submission {
  txSignatures: TxSignature[];
}

/** Returns trades that were sent, have no record and can land no more, from one on, oldest first. */
export async function findEndedSubmissions(
  db: Db | Tx,
  ends: Ends,
  page: { limit: number; after: OpenSubmission | undefined },
): Promise<OpenSubmission[]> {
  const { lastValidBlockHeight, quoteId } = submissions;
  const { after } = page;
  const from = after && { height: after.lastValidBlockHeight, id: after.quoteId };
  const found = await db
    .select({ submission: submissions, guarded: guardedTransactions.txSignature })
    .from(submissions)
    .leftJoin(guardedTransactions, eq(guardedTransactions.quoteId, quoteId))
    .where(
      and(
        openTrade(submissions),
        canLandNoMore(submissions, ends),
        isComplete(submissions.partnerId, ends),
        not(isRecordedTrade),
        behindHeight(lastValidBlockHeight, quoteId, from),
      ),
    )
    .orderBy(asc(lastValidBlockHeight), asc(quoteId))
    .limit(page.limit);
  return found.map(({ submission, guarded }) => {
    const own = submission.txSignature;
    return { ...submission, txSignatures: guarded === null ? [own] : [own, guarded] };
  });
}

/** Ends trades that can no longer land, and returns those that did not end meanwhile. */
export async function expireSubmissions(tx: Tx, ids: Uuid[]): Promise<Submission[]> {
  if (ids.length === 0) return [];
  return tx
    .update(submissions)
    .set({ status: submissionMove('expire').to })
    .where(and(inArray(submissions.quoteId, ids), openTrade(submissions), not(isRecordedTrade)))
    .returning();
}

/** Closes at most `limit` submissions of trades whose records are final, and returns them. */
export async function closeFinalSubmissions(tx: Tx, limit: number): Promise<Submission[]> {
  const some = tx
    .select({ quoteId: submissions.quoteId })
    .from(submissions)
    .where(and(openTrade(submissions), hasFinalRecord))
    .orderBy(asc(submissions.quoteId))
    .limit(limit)
    .for('update', { skipLocked: true });
  return tx
    .update(submissions)
    .set({ status: submissionMove('finalize').to })
    .where(inArray(submissions.quoteId, some))
    .returning();
}

/** Deletes at most `limit` of what was sent before a time, except trades that are still open. Returns how many. */
export async function deleteSubmissionsBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  return deleteSomeBefore(tx, submissions.createdAt, before, limit, not(openTrade(submissions)));
}
