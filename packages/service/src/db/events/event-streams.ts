import { and, eq, inArray, not, or, sql } from 'drizzle-orm';
import { check, index, pgTable, timestamp, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { SessionTimes } from '../../domain/session.js';
import type { Db, Tx } from '../client.js';
import { bytes } from '../columns.js';
import { apiKeys } from '../keys/api-keys.js';
import { streamLocks } from '../locks.js';
import { maySignIn, people, personId } from '../people/people.js';

/**
 * Streams of events that are open, in whichever process, each by a key or by a session of a member. A process renews those that it holds; one that was killed holds its
 * for as long as `lapseSeconds` by the clock of the database.
 */
export const eventStreams = pgTable(
  'event_streams',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    keyId: uuid('key_id')
      .references(() => apiKeys.id)
      .$type<Uuid>(),
    memberId: personId('member_id'),
    /** That of the member; SHA-256. */
    sessionHash: bytes('session_hash'),
    renewedAt: timestamp('renewed_at', { withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('event_streams_key').on(t.keyId),
    index('event_streams_member').on(t.memberId),
    check('event_streams_caller', sql`(${t.keyId} is null) <> (${t.memberId} is null)`),
    check('event_streams_session', sql`(${t.memberId} is null) = (${t.sessionHash} is null)`),
  ],
);

/** A stream that was not renewed for so long is gone. */
const lapseSeconds = 30;

const isLapsed = sql`${eventStreams.renewedAt} < clock_timestamp() - make_interval(secs => ${lapseSeconds})`;

/** Who opens a stream: a key, or a member in a session. */
export type StreamCaller = { keyId: Uuid } | { memberId: Uuid; sessionHash: Uint8Array };

export type NewStream = { id: Uuid; partnerId: Uuid } & StreamCaller;

/** What became of a stream: it is open, or the limit of its caller or partner is reached, or another process opens one now. */
export type StreamOpening = 'opened' | 'caller' | 'partner' | 'busy';

const callerOf = (stream: StreamCaller) => ('keyId' in stream ? stream.keyId : stream.memberId);

/**
 * Opens streams, and returns what became of each, in their order. Streams of a partner are counted by one transaction at a
 * time; another one does not wait for it.
 */
export async function openEventStreams(
  tx: Tx,
  streams: readonly NewStream[],
  limits: { ofCaller: number; ofPartner: number },
): Promise<StreamOpening[]> {
  const partnerIds = [...new Set(streams.map(({ partnerId }) => partnerId))];
  const counted = await lockPartnerStreams(tx, partnerIds);
  const open = await countOpenStreams(tx, [...counted]);
  const openings = streams.map((stream): StreamOpening => {
    const { partnerId } = stream;
    if (!counted.has(partnerId)) return 'busy';
    const callerId = callerOf(stream);
    const [ofCaller, ofPartner] = [open.get(callerId) ?? 0, open.get(partnerId) ?? 0];
    if (ofPartner >= limits.ofPartner) return 'partner';
    if (ofCaller >= limits.ofCaller) return 'caller';
    open.set(callerId, ofCaller + 1).set(partnerId, ofPartner + 1);
    return 'opened';
  });
  const opened = streams.filter((_, index) => openings[index] === 'opened');
  if (opened.length > 0) {
    await tx.insert(eventStreams).values(opened.map(({ partnerId: _, ...stream }) => stream));
  }
  return openings;
}

/** Returns the partners whose streams only this transaction opens until it ends: those that no other one holds. */
async function lockPartnerStreams(tx: Tx, partnerIds: readonly Uuid[]): Promise<Set<Uuid>> {
  const locked = await tx.execute<{ id: Uuid }>(sql`
    select id from unnest(${sql.param([...partnerIds])}::uuid[]) as id
    where pg_try_advisory_xact_lock(${streamLocks}::int, hashtext(id::text))`);
  return new Set(locked.map(({ id }) => id));
}

/** Returns how many streams keys, members and partners have open, by their ids. */
export async function countOpenStreams(tx: Db | Tx, partnerIds: readonly Uuid[]): Promise<Map<Uuid, number>> {
  const { keyId, memberId } = eventStreams;
  const partnerId = sql<Uuid>`coalesce(${apiKeys.partnerId}, ${people.partnerId})`;
  const callerId = sql<Uuid>`coalesce(${keyId}, ${memberId})`;
  const rows = await tx
    .select({ callerId, partnerId, count: sql<number>`count(*)::int` })
    .from(eventStreams)
    .leftJoin(apiKeys, eq(apiKeys.id, keyId))
    .leftJoin(people, eq(people.id, memberId))
    .where(
      and(
        or(inArray(apiKeys.partnerId, [...partnerIds]), inArray(people.partnerId, [...partnerIds])),
        not(isLapsed),
      ),
    )
    .groupBy(callerId, partnerId);
  const open = new Map<Uuid, number>();
  for (const { callerId, partnerId, count } of rows) {
    open.set(callerId, count);
    open.set(partnerId, (open.get(partnerId) ?? 0) + count);
  }
  return open;
}

/**
 * Renews streams, and returns those that may go on: their key is not revoked, and its partner not suspended, or their session is
 * open. A stream does not count as a use of the session.
 */
export async function renewEventStreams(
  tx: Tx,
  ids: readonly Uuid[],
  { now, usedAfter }: SessionTimes,
): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  const renewed = await tx.execute<{ id: Uuid }>(sql`
    with open as (
      select id from event_streams where id = any(${sql.param([...ids])}::uuid[]) order by id for no key update
    )
    update event_streams as stream set renewed_at = clock_timestamp()
    where stream.id in (select id from open) and (
      exists (
        select from api_keys as key join partners as partner on partner.id = key.partner_id
        where key.id = stream.key_id and key.status = 'active' and partner.status = 'active')
      or exists (
        select from sessions as session join ${people} on ${people.id} = session.person_id
        where session.hash = stream.session_hash and session.ended_at is null
          and session.expires_at > ${now.toISOString()}::timestamptz
          and session.last_used_at > ${usedAfter.toISOString()}::timestamptz and ${maySignIn}))
    returning stream.id`);
  return new Set(renewed.map(({ id }) => id));
}

/** Locks them in the order of their ids, as renewals do. */
export async function deleteEventStreams(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  const own = tx
    .select({ id: eventStreams.id })
    .from(eventStreams)
    .where(inArray(eventStreams.id, [...ids]))
    .orderBy(eventStreams.id)
    .for('update');
  await tx.delete(eventStreams).where(inArray(eventStreams.id, own));
}

export async function deleteLapsedEventStreams(tx: Tx): Promise<void> {
  await tx.delete(eventStreams).where(isLapsed);
}
