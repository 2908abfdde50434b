import { and, asc, eq, gte, inArray, isNotNull, lt, lte, not, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, check, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { prefixedId, type RedemptionId, type TradeId, type Uuid, uuidOf } from '../../domain/ids.js';
import type { TxSignature } from '../../domain/solana.js';
import { submissionMove, submissionStatuses } from '../../domain/submission.js';
import { guardedTransactions } from '../approvals/guarded-transactions.js';
import type { Db, Tx } from '../client.js';
import { address, hasBytes, int64, moment, statusIn, txSignature } from '../columns.js';
import { appendEvents, type NewEvent } from '../events/events.js';
import { type Failure, failure, noFailure } from '../failure.js';
import { mayBeUnread } from '../indexing/dead-letters.js';
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
    /** The trace of the request that sent it, as W3C Trace Context writes it; null if none was recorded. */
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

/** Returns the traces of the requests that sent the transactions of these quotes, where they were recorded. */
export async function findTracesOf(
  db: Db | Tx,
  quoteIds: Uuid[],
): Promise<{ operationId: TradeId | RedemptionId; traceparent: string }[]> {
  if (quoteIds.length === 0) return [];
  const { quoteId, kind, traceparent } = submissions;
  const found = await db
    .select({ quoteId, kind, traceparent })
    .from(submissions)
    .where(and(inArray(quoteId, quoteIds), isNotNull(traceparent)));
  return found.flatMap(({ traceparent, ...row }) =>
    traceparent === null ? [] : { operationId: operationIdOf(row), traceparent },
  );
}

/**
 * Writes down what is about to be sent, and appends events to the log if it was not sent before: one statement. A refusal of
 * an earlier sending is forgotten.
 */
export async function insertSubmission(
  db: Db | Tx,
  submission: NewSubmission,
  events: readonly NewEvent[],
): Promise<void> {
  const insert = db
    .insert(submissions)
    .values({ ...submission, status: 'submitted' })
    .onConflictDoUpdate({
      target: submissions.quoteId,
      set: noFailure,
      setWhere: sql`${submissions.reason} is not null`,
    });
  if (events.length === 0) await insert;
  else {
    const returning = insert.returning({ fresh: sql<boolean>`(xmax = 0)`.as('fresh') });
    await appendEvents(db, events, submission.createdAt, returning.getSQL());
  }
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

// No EXISTS, for which PostgreSQL may read all trades.
const recorded = sql`(select true from ${trades} where ${trades.id} = ${submissions.quoteId}) is not null`;
const recordedForGood = sql`coalesce(
  (select ${isFinal(trades, 'trade')} from ${trades} where ${trades.id} = ${submissions.quoteId}), false)`;

/** A trade that was sent and is open, and all its signatures. */
export interface OpenSubmission extends Submission {
  txSignatures: TxSignature[];
  /** Whether it has a record that is final. */
  landed: boolean;
  /** Whether it has no record, and its transaction is none of those that could not be read yet. */
  missing: boolean;
}

/**
 * Returns open trades that were sent and cannot land above `height`, from one on, oldest first. Those that are neither
 * landed nor missing are among them, so that a page costs the same however many of them there are.
 */
export async function findOpenSubmissionsBelow(
  db: Db | Tx,
  height: bigint,
  page: { limit: number; after: OpenSubmission | undefined },
): Promise<OpenSubmission[]> {
  const { lastValidBlockHeight, quoteId, createdAt } = submissions;
  const { after } = page;
  const from = after && { height: after.lastValidBlockHeight, id: after.quoteId };
  const found = await db
    .select({
      submission: submissions,
      guarded: guardedTransactions.txSignature,
      landed: sql<boolean>`${recordedForGood}`,
      missing: sql<boolean>`${and(not(recorded), not(mayBeUnread(createdAt)))}`,
    })
    .from(submissions)
    .leftJoin(guardedTransactions, eq(guardedTransactions.quoteId, quoteId))
    .where(
      and(
        openTrade(submissions),
        lt(lastValidBlockHeight, height),
        behindHeight(lastValidBlockHeight, quoteId, from),
      ),
    )
    .orderBy(asc(lastValidBlockHeight), asc(quoteId))
    .limit(page.limit);
  return found.map(({ submission, guarded, landed, missing }) => {
    const own = submission.txSignature;
    return { ...submission, txSignatures: guarded === null ? [own] : [own, guarded], landed, missing };
  });
}

/**
 * Returns the last block height at which a trade can land that was sent and should have ended by `at`, its estimated end:
 * the lowest one from `height` on, or undefined when there is none.
 */
export async function findSubmissionEnd(db: Db | Tx, height: bigint, at: Date): Promise<bigint | undefined> {
  const { lastValidBlockHeight, expiresAt } = submissions;
  const [row] = await db
    .select({ end: lastValidBlockHeight })
    .from(submissions)
    .where(and(openTrade(submissions), gte(lastValidBlockHeight, height), lte(expiresAt, at), not(recorded)))
    .orderBy(asc(lastValidBlockHeight))
    .limit(1);
  return row?.end;
}

/** Ends trades that can no longer land, and returns those that did not end meanwhile. */
export async function expireSubmissions(tx: Tx, ids: Uuid[]): Promise<Submission[]> {
  if (ids.length === 0) return [];
  return tx
    .update(submissions)
    .set({ status: submissionMove('expire').to })
    .where(and(inArray(submissions.quoteId, ids), openTrade(submissions), not(recorded)))
    .returning();
}

/** Closes the submissions of trades whose records are final, and returns those that were open until now. */
export async function closeLandedSubmissions(tx: Tx, ids: Uuid[]): Promise<Submission[]> {
  return tx
    .update(submissions)
    .set({ status: submissionMove('finalize').to })
    .where(and(inArray(submissions.quoteId, ids), openTrade(submissions), recordedForGood))
    .returning();
}

/** Deletes at most `limit` of what was sent before a time, except trades that are still open. Returns how many. */
export async function deleteSubmissionsBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  return deleteSomeBefore(tx, submissions.createdAt, before, limit, not(openTrade(submissions)));
}
