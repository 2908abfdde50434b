import { and, eq, type SQL, sql } from 'drizzle-orm';
import { check, index, pgTable, timestamp, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { OperatorRole } from '../../domain/operator.js';
import type { SessionTimes } from '../../domain/session.js';
import type { Db, Tx } from '../client.js';
import { bytes } from '../columns.js';
import { isOfKind, lockPerson, people, personId } from '../people/people.js';

/**
 * Streams of changes that operators have open, in whichever process, each with the session or the token that opened it. A
 * process renews those that it holds; one that was killed holds its for as long as `lapseSeconds` by the clock of the
 * database.
 */
export const operatorStreams = pgTable(
  'operator_streams',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    operatorId: personId('operator_id').notNull(),
    sessionHash: bytes('session_hash'),
    tokenId: uuid('token_id').$type<Uuid>(),
    renewedAt: timestamp('renewed_at', { withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('operator_streams_operator').on(t.operatorId),
    check('operator_streams_credential', sql`(${t.sessionHash} is null) <> (${t.tokenId} is null)`),
  ],
);

/** How an operator was let in. */
export type OperatorCredential = { sessionHash: Uint8Array } | { tokenId: Uuid };

/** A stream that was not renewed for so long is gone. */
const lapseSeconds = 30;

const isLapsed = sql`${operatorStreams.renewedAt} < clock_timestamp() - make_interval(secs => ${lapseSeconds})`;

/** Opens a stream for an operator, unless there are `limit` of them; false then. */
export async function insertOperatorStream(
  tx: Tx,
  stream: { id: Uuid; operatorId: Uuid } & OperatorCredential,
  limit: number,
): Promise<boolean> {
  // One that is opened at the same time waits here.
  await lockPerson(tx, stream.operatorId);
  const own = eq(operatorStreams.operatorId, stream.operatorId);
  await tx.delete(operatorStreams).where(and(own, isLapsed));
  const open = await tx.select({ id: operatorStreams.id }).from(operatorStreams).where(own);
  if (open.length >= limit) return false;
  await tx.insert(operatorStreams).values(stream);
  return true;
}

/** Whether a session is open, or a token good. Asking is no use of it. */
function isGood(
  { sessionHash, tokenId }: { sessionHash: SQL; tokenId: SQL },
  { now, usedAfter }: SessionTimes,
): SQL {
  const [at, after] = [now, usedAfter].map((moment) => sql`${moment.toISOString()}::timestamptz`);
  return sql`(exists (
      select from sessions as session
      where session.hash = ${sessionHash} and session.ended_at is null and session.expires_at > ${at}
        and session.last_used_at > ${after})
    or exists (
      select from operator_tokens as token
      where token.id = ${tokenId} and token.revoked_at is null and token.expires_at > ${at}))`;
}

/** Returns the role of an active operator whose session is open, or whose token is good; undefined otherwise. */
export async function findRoleBehind(
  db: Db | Tx,
  { operatorId: id, ...credential }: { operatorId: Uuid } & OperatorCredential,
  times: SessionTimes,
): Promise<OperatorRole | undefined> {
  const sessionHash = sql`${'sessionHash' in credential ? credential.sessionHash : null}::bytea`;
  const tokenId = sql`${'tokenId' in credential ? credential.tokenId : null}::uuid`;
  const [operator] = await db
    .select({ role: people.role })
    .from(people)
    .where(
      and(
        eq(people.id, id),
        isOfKind('operator'),
        eq(people.status, 'active'),
        isGood({ sessionHash, tokenId }, times),
      ),
    );
  return operator?.role as OperatorRole | undefined;
}

/**
 * Renews streams, and returns those that may go on: of active operators whose token is good, or whose session is open and
 * was used after `usedAfter`. A stream does not count as a use.
 */
export async function renewOperatorStreams(
  tx: Tx,
  ids: readonly Uuid[],
  { now, usedAfter }: SessionTimes,
): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  const renewed = await tx.execute<{ id: Uuid }>(sql`
    update operator_streams as stream set renewed_at = clock_timestamp()
    from people as operator
    where stream.id = any(${sql.param([...ids])}::uuid[]) and operator.id = stream.operator_id and operator.status = 'active' and operator.partner_id is null
      and ${isGood({ sessionHash: sql`stream.session_hash`, tokenId: sql`stream.token_id` }, { now, usedAfter })}
    returning stream.id`);
  return new Set(renewed.map(({ id }) => id));
}

export async function deleteOperatorStream(tx: Tx, id: Uuid): Promise<void> {
  await tx.delete(operatorStreams).where(eq(operatorStreams.id, id));
}

export async function deleteLapsedOperatorStreams(tx: Tx): Promise<void> {
  await tx.delete(operatorStreams).where(isLapsed);
}
