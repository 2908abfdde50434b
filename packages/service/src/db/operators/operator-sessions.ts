import { and, count, eq, gt, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { findPage, type PageOf } from '../page.js';
import { findRow } from '../rows.js';
import { deleteFactorChallengesOf } from './factor-challenges.js';
import { deleteUnconfirmedTotp } from './operator-totps.js';
import { operatorColumns, operatorId, operators } from './operators.js';

/** Signed-in operators. The cookie's value is never stored, only its SHA-256. */
export const operatorSessions = pgTable(
  'operator_sessions',
  {
    hash: bytes().primaryKey(),
    /** By which operators see and end it; opens nothing. */
    id: uuid().notNull().unique('operator_sessions_id').$type<Uuid>(),
    operatorId: operatorId('operator_id').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** The latest request of the session, or when it was opened. */
    lastUsedAt: moment('last_used_at').notNull(),
    /** When a second factor was shown; null for a session by password alone, whose operator has no second factor. */
    verifiedAt: moment('verified_at'),
    /** Null until the operator signs out. */
    endedAt: moment('ended_at'),
    /** The IP address that it was opened from, and what the browser called itself. */
    address: text().notNull(),
    userAgent: text('user_agent'),
    /** SHA-256 of the latest confirmation with a second factor, which a page keeps apart from the cookie, and its time. */
    confirmationHash: bytes('confirmation_hash'),
    confirmedAt: moment('confirmed_at'),
  },
  (t) => [
    index('operator_sessions_expires').on(t.expiresAt),
    index('operator_sessions_operator').on(t.operatorId),
    check('operator_sessions_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('operator_sessions_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
    check('operator_sessions_confirmed', sql`(${t.confirmationHash} is null) = (${t.confirmedAt} is null)`),
  ],
);

export type OperatorSession = typeof operatorSessions.$inferSelect;

/** The times by which a session is open: it expires after `now`, and was used after `usedAfter`. */
export interface SessionTimes {
  now: Date;
  usedAfter: Date;
}

const isOpen = ({ now, usedAfter }: SessionTimes): SQL | undefined =>
  and(
    isNull(operatorSessions.endedAt),
    gt(operatorSessions.expiresAt, now),
    gt(operatorSessions.lastUsedAt, usedAfter),
  );

export async function insertOperatorSession(
  tx: Tx,
  session: typeof operatorSessions.$inferInsert,
): Promise<void> {
  await tx.insert(operatorSessions).values(session);
}

/** The operator of a session, and whether it was opened with a second factor. */
export type SessionOperator = Operator & { isVerified: boolean };

/**
 * Returns the active operator of a session that is open at `now` and was used after `usedAfter`, and notes this use in the
 * same statement, so that of two requests at the limit none revives what the other found idle.
 */
export async function useSession(
  tx: Tx,
  hash: Uint8Array,
  times: SessionTimes,
): Promise<SessionOperator | undefined> {
  const [operator] = await tx
    .update(operatorSessions)
    .set({
      lastUsedAt: sql`greatest(${operatorSessions.lastUsedAt}, ${times.now.toISOString()}::timestamptz)`,
    })
    .from(operators)
    .where(
      and(
        eq(operators.id, operatorSessions.operatorId),
        eq(operatorSessions.hash, hash),
        isOpen(times),
        eq(operators.status, 'active'),
      ),
    )
    .returning({ ...operatorColumns, isVerified: isNotNull(operatorSessions.verifiedAt).mapWith(Boolean) });
  return operator;
}

/** Ends a session; nothing for one that is over or unknown. */
export async function endOperatorSession(tx: Tx, hash: Uint8Array, at: Date): Promise<void> {
  await tx
    .update(operatorSessions)
    .set({ endedAt: at })
    .where(and(eq(operatorSessions.hash, hash), isNull(operatorSessions.endedAt)));
}

/** Ends an open session by its id, of `operatorId` if that is given; undefined when there is none. */
export async function endSessionById(
  tx: Tx,
  { id, operatorId }: { id: Uuid; operatorId?: Uuid | undefined },
  times: SessionTimes,
): Promise<OperatorSession | undefined> {
  const owned = operatorId && eq(operatorSessions.operatorId, operatorId);
  const [ended] = await tx
    .update(operatorSessions)
    .set({ endedAt: times.now })
    .where(and(eq(operatorSessions.id, id), owned, isOpen(times)))
    .returning();
  return ended;
}

/** A page of the open sessions of an operator, newest first. */
export const findOpenSessions = (db: Db | Tx, operatorId: Uuid, times: SessionTimes, page: PageOf) =>
  findPage(db, operatorSessions, [eq(operatorSessions.operatorId, operatorId), isOpen(times)], page);

/** Returns how many sessions of an operator are open, without the one of `except`. */
export async function countOpenSessions(
  tx: Tx,
  operatorId: Uuid,
  times: SessionTimes,
  except?: Uint8Array,
): Promise<number> {
  const others = except && ne(operatorSessions.hash, except);
  const [counted] = await tx
    .select({ open: count() })
    .from(operatorSessions)
    .where(and(eq(operatorSessions.operatorId, operatorId), isOpen(times), others));
  return counted?.open ?? 0;
}

export const findOperatorSession = (db: Db | Tx, hash: Uint8Array) =>
  findRow(db, operatorSessions, eq(operatorSessions.hash, hash));

/** Notes a confirmation of a session, in place of an earlier one. */
export async function saveConfirmation(
  tx: Tx,
  hash: Uint8Array,
  { confirmationHash, confirmedAt }: { confirmationHash: Uint8Array; confirmedAt: Date },
): Promise<void> {
  await tx
    .update(operatorSessions)
    .set({ confirmationHash, confirmedAt })
    .where(eq(operatorSessions.hash, hash));
}

/** Returns whether a session has this confirmation, given after `after`. */
export async function isConfirmed(
  db: Db | Tx,
  hash: Uint8Array,
  { confirmationHash, after }: { confirmationHash: Uint8Array; after: Date },
): Promise<boolean> {
  const { confirmationHash: confirmation, confirmedAt } = operatorSessions;
  const given = and(eq(confirmation, confirmationHash), gt(confirmedAt, after));
  return (await findRow(db, operatorSessions, and(eq(operatorSessions.hash, hash), given))) !== undefined;
}

/**
 * Ends all sessions of an operator but the one of `except`, and what was begun to sign in, to confirm something, or to add an
 * authenticator app.
 */
export async function endSessionsOf(tx: Tx, operatorId: Uuid, at: Date, except?: Uint8Array): Promise<void> {
  await deleteFactorChallengesOf(tx, operatorId);
  await deleteUnconfirmedTotp(tx, operatorId);
  await tx
    .update(operatorSessions)
    .set({ endedAt: at })
    .where(
      and(
        eq(operatorSessions.operatorId, operatorId),
        isNull(operatorSessions.endedAt),
        except && ne(operatorSessions.hash, except),
      ),
    );
}

/** Notes that an operator has no second factor any more. */
export async function unverifySessions(tx: Tx, operatorId: Uuid): Promise<void> {
  await tx
    .update(operatorSessions)
    .set({ verifiedAt: null, confirmationHash: null, confirmedAt: null })
    .where(eq(operatorSessions.operatorId, operatorId));
}
