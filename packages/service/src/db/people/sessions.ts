import { and, count, eq, gt, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Member } from '../../domain/member.js';
import type { Operator } from '../../domain/operator.js';
import type { PersonKind } from '../../domain/person.js';
import type { SessionTimes } from '../../domain/session.js';
import type { Db, Tx } from '../client.js';
import { bytes, moment } from '../columns.js';
import { findPage, type PageOf } from '../page.js';
import { findRow } from '../rows.js';
import { deleteFactorChallengesOf } from './factor-challenges.js';
import { isOfKind, maySignIn, people, personId } from './people.js';
import { deleteUnconfirmedTotp } from './totps.js';

/** Signed-in people. The cookie's value is never stored, only its SHA-256. */
export const sessions = pgTable(
  'sessions',
  {
    hash: bytes().primaryKey(),
    /** By which people see and end it; opens nothing. */
    id: uuid().notNull().unique('sessions_id').$type<Uuid>(),
    personId: personId('person_id').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** The latest request of the session, or when it was opened. */
    lastUsedAt: moment('last_used_at').notNull(),
    /** When a second factor was shown; null for a session by password alone, whose person has no second factor. */
    verifiedAt: moment('verified_at'),
    /** Null until the person signs out. */
    endedAt: moment('ended_at'),
    /** The IP address that it was opened from, and what the browser called itself. */
    address: text().notNull(),
    userAgent: text('user_agent'),
    /** SHA-256 of the latest confirmation with a second factor, which a page keeps apart from the cookie, and its time. */
    confirmationHash: bytes('confirmation_hash'),
    confirmedAt: moment('confirmed_at'),
  },
  (t) => [
    index('sessions_expires').on(t.expiresAt),
    index('sessions_person').on(t.personId),
    check('sessions_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('sessions_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
    check('sessions_confirmed', sql`(${t.confirmationHash} is null) = (${t.confirmedAt} is null)`),
  ],
);

export type Session = typeof sessions.$inferSelect;

const isOpen = ({ now, usedAfter }: SessionTimes): SQL | undefined =>
  and(isNull(sessions.endedAt), gt(sessions.expiresAt, now), gt(sessions.lastUsedAt, usedAfter));

export async function insertSession(tx: Tx, session: typeof sessions.$inferInsert): Promise<void> {
  await tx.insert(sessions).values(session);
}

/** Who is signed in, by kind. */
interface PersonOf {
  operator: Operator;
  member: Member;
}

/** The person of a session, and whether it was opened with a second factor. */
export type SessionPerson<Kind extends PersonKind> = PersonOf[Kind] & {
  isVerified: boolean;
  expiresAt: Date;
};

const sessionPerson = {
  personId: people.id,
  email: people.email,
  name: people.name,
  role: people.role,
  openedBy: people.openedBy,
  partnerId: people.partnerId,
  partnerStatus: sql<
    Member['partnerStatus'] | null
  >`(select status from partners where id = ${people.partnerId})`,
  walletAddress: people.walletAddress,
  isVerified: isNotNull(sessions.verifiedAt).mapWith(Boolean),
  expiresAt: sessions.expiresAt,
};

/** Condition: a session is open, and of a person of a kind who may be signed in. A cookie of one kind is nothing to the other. */
const isSignedIn = (kind: PersonKind, hash: Uint8Array, times: SessionTimes) =>
  and(eq(people.id, sessions.personId), eq(sessions.hash, hash), isOpen(times), isOfKind(kind), maySignIn);

/** Returns the person of a session, which the checks of the table make one of its kind. */
function personIn<Kind extends PersonKind>(
  kind: Kind,
  found: { partnerId: Uuid | null } | undefined,
): SessionPerson<Kind> | undefined {
  return found && ({ kind, ...found } as unknown as SessionPerson<Kind>);
}

/**
 * Returns the active person of a session that is open at `now` and was used after `usedAfter`, and notes this use in the
 * same statement, so that of two requests at the limit none revives what the other found idle.
 */
export async function useSession<Kind extends PersonKind>(
  tx: Tx,
  kind: Kind,
  hash: Uint8Array,
  times: SessionTimes,
): Promise<SessionPerson<Kind> | undefined> {
  const lastUsedAt = sql`greatest(${sessions.lastUsedAt}, ${times.now.toISOString()}::timestamptz)`;
  const [found] = await tx
    .update(sessions)
    .set({ lastUsedAt })
    .from(people)
    .where(isSignedIn(kind, hash, times))
    .returning(sessionPerson);
  return personIn(kind, found);
}

/** Returns the same, without noting a use. */
export async function findSessionPerson<Kind extends PersonKind>(
  db: Db | Tx,
  kind: Kind,
  hash: Uint8Array,
  times: SessionTimes,
): Promise<SessionPerson<Kind> | undefined> {
  const [found] = await db
    .select(sessionPerson)
    .from(sessions)
    .innerJoin(people, eq(people.id, sessions.personId))
    .where(isSignedIn(kind, hash, times));
  return personIn(kind, found);
}

/** Ends a session; nothing for one that is over or unknown. */
export async function endSession(tx: Tx, hash: Uint8Array, at: Date): Promise<void> {
  await tx
    .update(sessions)
    .set({ endedAt: at })
    .where(and(eq(sessions.hash, hash), isNull(sessions.endedAt)));
}

/** Ends an open session by its id, of `personId` if that is given; undefined when there is none. */
export async function endSessionById(
  tx: Tx,
  { id, personId }: { id: Uuid; personId?: Uuid | undefined },
  times: SessionTimes,
): Promise<Session | undefined> {
  const owned = personId && eq(sessions.personId, personId);
  const [ended] = await tx
    .update(sessions)
    .set({ endedAt: times.now })
    .where(and(eq(sessions.id, id), owned, isOpen(times)))
    .returning();
  return ended;
}

/** A page of the open sessions of a person, newest first. */
export const findOpenSessions = (db: Db | Tx, personId: Uuid, times: SessionTimes, page: PageOf) =>
  findPage(db, sessions, [eq(sessions.personId, personId), isOpen(times)], page);

/** Returns how many sessions of a person are open, without the one of `except`. */
export async function countOpenSessions(
  tx: Tx,
  personId: Uuid,
  times: SessionTimes,
  except?: Uint8Array,
): Promise<number> {
  const others = except && ne(sessions.hash, except);
  const [counted] = await tx
    .select({ open: count() })
    .from(sessions)
    .where(and(eq(sessions.personId, personId), isOpen(times), others));
  return counted?.open ?? 0;
}

export const findSession = (db: Db | Tx, hash: Uint8Array) => findRow(db, sessions, eq(sessions.hash, hash));

/** Notes a confirmation of a session, in place of an earlier one. */
export async function saveConfirmation(
  tx: Tx,
  hash: Uint8Array,
  { confirmationHash, confirmedAt }: { confirmationHash: Uint8Array; confirmedAt: Date },
): Promise<void> {
  await tx.update(sessions).set({ confirmationHash, confirmedAt }).where(eq(sessions.hash, hash));
}

/** Returns whether a session has this confirmation, given after `after`. */
export async function isConfirmed(
  db: Db | Tx,
  hash: Uint8Array,
  { confirmationHash, after }: { confirmationHash: Uint8Array; after: Date },
): Promise<boolean> {
  const { confirmationHash: confirmation, confirmedAt } = sessions;
  const given = and(eq(confirmation, confirmationHash), gt(confirmedAt, after));
  return (await findRow(db, sessions, and(eq(sessions.hash, hash), given))) !== undefined;
}

/**
 * Ends all sessions of a person but the one of `except`, and what was begun to sign in, to confirm something, or to add an
 * authenticator app.
 */
export async function endSessionsOf(tx: Tx, personId: Uuid, at: Date, except?: Uint8Array): Promise<void> {
  await deleteFactorChallengesOf(tx, personId);
  await deleteUnconfirmedTotp(tx, personId);
  await tx
    .update(sessions)
    .set({ endedAt: at })
    .where(
      and(eq(sessions.personId, personId), isNull(sessions.endedAt), except && ne(sessions.hash, except)),
    );
}

/** Notes that a person has no second factor any more. */
export async function unverifySessions(tx: Tx, personId: Uuid): Promise<void> {
  await tx
    .update(sessions)
    .set({ verifiedAt: null, confirmationHash: null, confirmedAt: null })
    .where(eq(sessions.personId, personId));
}
