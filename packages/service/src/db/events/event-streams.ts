import { and, eq, inArray, not, sql } from 'drizzle-orm';
import { index, pgTable, timestamp, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { apiKeys } from '../keys/api-keys.js';
import { streamLocks } from '../locks.js';

/**
 * Streams of events that are open, in whichever process. A process renews those that it holds; one that was killed holds its
 * for as long as `lapseSeconds` by the clock of the database.
 */
export const eventStreams = pgTable(
  'event_streams',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    keyId: uuid('key_id')
      .notNull()
      .references(() => apiKeys.id)
      .$type<Uuid>(),
    renewedAt: timestamp('renewed_at', { withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('event_streams_key').on(t.keyId)],
);

/** A stream that was not renewed for so long is gone. */
const lapseSeconds = 30;

const isLapsed = sql`${eventStreams.renewedAt} < clock_timestamp() - make_interval(secs => ${lapseSeconds})`;

export interface NewStream {
  id: Uuid;
  keyId: Uuid;
  partnerId: Uuid;
}

/** What became of a stream: it is open, or the limit of its key or partner is reached, or another process opens one now. */
export type StreamOpening = 'opened' | 'key' | 'partner' | 'busy';

/**
 * Opens streams, and returns what became of each, in their order. Streams of a partner are counted by one transaction at a
 * time; another one does not wait for it.
 */
export async function openEventStreams(
  tx: Tx,
  streams: readonly NewStream[],
  limits: { ofKey: number; ofPartner: number },
): Promise<StreamOpening[]> {
  const partnerIds = [...new Set(streams.map(({ partnerId }) => partnerId))];
  const counted = await lockPartnerStreams(tx, partnerIds);
  const open = await countOpenStreams(tx, [...counted]);
  const openings = streams.map(({ keyId, partnerId }): StreamOpening => {
    if (!counted.has(partnerId)) return 'busy';
    const [ofKey, ofPartner] = [open.get(keyId) ?? 0, open.get(partnerId) ?? 0];
    if (ofPartner >= limits.ofPartner) return 'partner';
    if (ofKey >= limits.ofKey) return 'key';
    open.set(keyId, ofKey + 1).set(partnerId, ofPartner + 1);
    return 'opened';
  });
  const opened = streams.filter((_, index) => openings[index] === 'opened');
  if (opened.length > 0) await tx.insert(eventStreams).values(opened.map(({ id, keyId }) => ({ id, keyId })));
  return openings;
}

/** Returns the partners whose streams only this transaction opens until it ends: those that no other one holds. */
async function lockPartnerStreams(tx: Tx, partnerIds: readonly Uuid[]): Promise<Set<Uuid>> {
  const locked = await tx.execute<{ id: Uuid }>(sql`
    select id from unnest(${sql.param([...partnerIds])}::uuid[]) as id
    where pg_try_advisory_xact_lock(${streamLocks}::int, hashtext(id::text))`);
  return new Set(locked.map(({ id }) => id));
}

/** Returns how many streams keys and partners have open, by their ids. */
export async function countOpenStreams(tx: Db | Tx, partnerIds: readonly Uuid[]): Promise<Map<Uuid, number>> {
  const rows = await tx
    .select({ keyId: eventStreams.keyId, partnerId: apiKeys.partnerId, count: sql<number>`count(*)::int` })
    .from(eventStreams)
    .innerJoin(apiKeys, eq(apiKeys.id, eventStreams.keyId))
    .where(and(inArray(apiKeys.partnerId, [...partnerIds]), not(isLapsed)))
    .groupBy(eventStreams.keyId, apiKeys.partnerId);
  const open = new Map<Uuid, number>();
  for (const { keyId, partnerId, count } of rows) {
    open.set(keyId, count);
    if (partnerId !== null) open.set(partnerId, (open.get(partnerId) ?? 0) + count);
  }
  return open;
}

/** Renews streams, and returns those that may go on: their key is not revoked, and its partner not suspended. */
export async function renewEventStreams(tx: Tx, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  const renewed = await tx.execute<{ id: Uuid }>(sql`
    with open as (
      select id from event_streams where id = any(${sql.param([...ids])}::uuid[]) order by id for no key update
    )
    update event_streams as stream set renewed_at = clock_timestamp()
    from api_keys as key join partners as partner on partner.id = key.partner_id
    where stream.id in (select id from open) and key.id = stream.key_id
      and key.status = 'active' and partner.status = 'active'
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
