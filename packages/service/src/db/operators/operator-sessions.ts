import { and, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm';
import { check, index, pgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import type { Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { deleteFactorChallengesOf } from './factor-challenges.js';
import { deleteUnconfirmedTotp } from './operator-totps.js';
import { operatorColumns, operatorId, operators } from './operators.js';

/** Signed-in operators. The cookie's value is never stored, only its SHA-256. */
export const operatorSessions = pgTable(
  'operator_sessions',
  {
    hash: bytes().primaryKey(),
    operatorId: operatorId('operator_id').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** The latest request of the session, or when it was opened. */
    lastUsedAt: moment('last_used_at').notNull(),
    /** When a second factor was shown; null for a session by password alone, whose operator has no second factor. */
    verifiedAt: moment('verified_at'),
    /** Null until the operator signs out. */
    endedAt: moment('ended_at'),
  },
  (t) => [
    index('operator_sessions_expires').on(t.expiresAt),
    index('operator_sessions_operator').on(t.operatorId),
    check('operator_sessions_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('operator_sessions_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
  ],
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
  { now, usedAfter }: { now: Date; usedAfter: Date },
): Promise<SessionOperator | undefined> {
  const [operator] = await tx
    .update(operatorSessions)
    .set({ lastUsedAt: sql`greatest(${operatorSessions.lastUsedAt}, ${now.toISOString()}::timestamptz)` })
    .from(operators)
    .where(
      and(
        eq(operators.id, operatorSessions.operatorId),
        eq(operatorSessions.hash, hash),
        isNull(operatorSessions.endedAt),
        gt(operatorSessions.expiresAt, now),
        gt(operatorSessions.lastUsedAt, usedAfter),
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

/** Ends all sessions of an operator, and what was begun to sign in, to confirm something, or to add an authenticator app. */
export async function endSessionsOf(tx: Tx, operatorId: Uuid, at: Date): Promise<void> {
  await deleteFactorChallengesOf(tx, operatorId);
  await deleteUnconfirmedTotp(tx, operatorId);
  await tx
    .update(operatorSessions)
    .set({ endedAt: at })
    .where(and(eq(operatorSessions.operatorId, operatorId), isNull(operatorSessions.endedAt)));
}

/** Notes that an operator has no second factor any more. */
export async function unverifySessions(tx: Tx, operatorId: Uuid): Promise<void> {
  await tx
    .update(operatorSessions)
    .set({ verifiedAt: null })
    .where(eq(operatorSessions.operatorId, operatorId));
}
