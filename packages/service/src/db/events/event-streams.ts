import { and, eq, inArray, sql } from 'drizzle-orm';
import { index, pgTable, timestamp, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Tx } from '../client.js';
import { apiKeys } from '../keys/api-keys.js';
import { lockPartner } from '../partners/partners.js';

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

/** Returns the open streams of a partner's keys. Those that would open another one wait for the end of the transaction. */
export async function lockOpenStreams(tx: Tx, partnerId: Uuid): Promise<{ keyId: Uuid }[]> {
  await lockPartner(tx, partnerId);
  const keys = tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.partnerId, partnerId));
  const own = inArray(eventStreams.keyId, keys);
  await tx.delete(eventStreams).where(and(own, isLapsed));
  return tx.select({ keyId: eventStreams.keyId }).from(eventStreams).where(own);
}

export async function insertEventStream(tx: Tx, stream: { id: Uuid; keyId: Uuid }): Promise<void> {
  await tx.insert(eventStreams).values(stream);
}

/** Renews streams, and returns those that may go on: their key is not revoked, and its partner not suspended. */
export async function renewEventStreams(tx: Tx, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  const renewed = await tx.execute<{ id: Uuid }>(sql`
    update event_streams as stream set renewed_at = clock_timestamp()
    from api_keys as key join partners as partner on partner.id = key.partner_id
    where stream.id = any(${sql.param([...ids])}::uuid[]) and key.id = stream.key_id
      and key.status = 'active' and partner.status = 'active'
    returning stream.id`);
  return new Set(renewed.map(({ id }) => id));
}

export async function deleteEventStream(tx: Tx, id: Uuid): Promise<void> {
  await tx.delete(eventStreams).where(eq(eventStreams.id, id));
}

export async function deleteLapsedEventStreams(tx: Tx): Promise<void> {
  await tx.delete(eventStreams).where(isLapsed);
}
