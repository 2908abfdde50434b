import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { check, index, json, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import {
  type EventObjectType,
  type EventType,
  eventIdOf,
  eventObjectId,
  eventObjectTypes,
  eventTypes,
  readEventId,
  readEventObjectId,
} from '../../domain/event.js';
import { type EventId, type Uuid, uuidOf } from '../../domain/ids.js';
import { type Db, notifyOfCommit, type Tx } from '../client.js';
import { hashOfPartner, int64, moment, sameHash } from '../columns.js';
import { partnerId } from '../partners/partners.js';
import { prepare, runPrepared } from '../prepared.js';
import { asRows, type GivenRows, placedRows, rowValues } from '../rows.js';
import { type Trade, trades } from '../trades/trades.js';

export const eventType = pgEnum('event_type', eventTypes);
export const eventObjectType = pgEnum('event_object_type', eventObjectTypes);

/**
 * The events of partners, one row each. `rules.sql` partitions the table by month, so that what is too old goes
 * by the partition. The id of an event is computed from its partner, number and time (`eventIdOf`).
 */
export const events = pgTable(
  'events',
  {
    // In the order in which they take the least room.
    /** Counts the events of a partner from 1, without gaps. */
    sequence: int64().notNull(),
    createdAt: moment('created_at').notNull(),
    partnerId: uuid('partner_id').notNull().$type<Uuid>(),
    /** Without the prefix that callers see. */
    objectId: uuid('object_id').notNull().$type<Uuid>(),
    type: eventType().notNull(),
    objectType: eventObjectType('object_type').notNull(),
    /** Of the request that made the change; null for what the chain or the service itself did. */
    requestId: text('request_id'),
    /**
     * What a GET of the object returned at that moment. Null while the record of a trade shows it, which never changes. Not
     * binary JSON, which has no NUL and no half of a surrogate pair.
     */
    object: json().$type<Record<string, unknown>>(),
  },
  (t) => [
    // By a hash of the partner that leaves room in 16 bytes. `rules.sql` has the index of numbers, which is unique by another.
    index('events_partner_type').on(sql`uuid_hash(${t.partnerId})`, t.type, t.sequence),
    // An object has few events, which are sorted where they are read.
    index('events_object').on(t.objectId),
    check('events_object', sql`${t.object} is not null or ${t.type} in ('trade.confirmed', 'trade.failed')`),
  ],
);

/**
 * How many events each partner has. A writer of events locks the row until the commit: so the numbers have no gaps, and
 * become visible in their order.
 */
export const eventCounters = pgTable('event_counters', {
  partnerId: partnerId().primaryKey(),
  last: int64().notNull(),
});

type Row = typeof events.$inferSelect;
/** An event as it is in the log. */
export type StoredEvent = Omit<Row, 'objectId'> & {
  id: EventId;
  /** As callers see it. */
  objectId: string;
  /** The record that shows what the event is about, where the event does not. */
  trade: Trade | null;
};
/** An event as it is shown. */
export type Event = Omit<StoredEvent, 'object' | 'trade'> & { object: Record<string, unknown> };
/** An event without what the log gives it; `object` is null for a trade that is written with it. */
export type NewEvent = Omit<StoredEvent, 'id' | 'sequence' | 'createdAt' | 'trade'>;

/** The channel on which writers name the partner whose log has grown. */
export const eventsChannel = 'karat_events';

/**
 * Appends events to the logs of their partners, in the order given, and notifies those who wait for them of the commit: one
 * statement, however many there are. With `after`, a statement that writes and returns rows, the same statement does that first,
 * and appends the events only if a row came back with `fresh`. It has to be the last statement of its transaction that may wait for another one,
 * because all writers of a partner queue from here to the commit. Partners are locked in the order of their ids. Returns whether
 * any was appended.
 */
export async function appendEvents(
  tx: Db | Tx,
  given: readonly NewEvent[],
  at: Date,
  after?: SQL,
): Promise<boolean> {
  if (given.length === 0) return false;
  const rows = given.map((event) => ({
    ...event,
    objectId: objectOf(event.objectId),
    createdAt: at,
    sequence: 0n,
  }));
  const counted = after
    ? await runPrepared<Counted>(tx, appending(asRows(events, rows), after))
    : await append(tx, rowValues(events, rows));
  notifyOfCommit(
    tx,
    eventsChannel,
    counted.map(({ partner_id }) => partner_id),
  );
  return counted.length > 0;
}

interface Counted {
  partner_id: Uuid;
}

/** Returns the statement of `appendEvents`, whose text is the same for any number of events. */
function appending({ columns, rows }: GivenRows, after?: SQL): SQL {
  return sql`
    with ${after ? sql`changed as (${after}),` : sql``}
      given as materialized (
        select * from ${rows} with ordinality as given (${columns}, place)
        ${after ? sql`where exists (select from changed where fresh)` : sql``}
      ),
      counted as (
        insert into ${eventCounters} as counters (partner_id, last)
        select partner_id, count(*) from given group by partner_id order by partner_id
        on conflict (partner_id) do update set last = counters.last + excluded.last
        returning partner_id, last
      ),
      written as (
        insert into ${events} (${columns})
        select last - count(*) over same + row_number() over (partition by partner_id order by place) as sequence,
          created_at, partner_id, object_id, type, object_type, request_id, object
        from given join counted using (partner_id)
        window same as (partition by partner_id)
        order by place
      )
    select partner_id from counted`;
}

// Planning it takes three times as long as the rest.
const append = prepare<Counted>(appending(placedRows(events)));

function objectOf(id: string): Uuid {
  const object = readEventObjectId(id);
  if (!object) throw new TypeError(`an event about ${id}, which is no id`);
  return object.uuid;
}

/**
 * Keeps in the events about a trade what they show by its record, which is about to change or to go. Those that have it
 * keep it as it is.
 */
export async function keepObject(
  tx: Tx,
  { id, partnerId: partner }: Pick<Trade, 'id' | 'partnerId'>,
  object: Record<string, unknown>,
): Promise<void> {
  await tx
    .update(events)
    .set({ object })
    .where(and(eq(events.objectId, uuidOf(id)), eq(events.partnerId, partner), isNull(events.object)));
}

/** Reads events, each with the record that it needs: in one statement, because a trade may be taken back meanwhile. */
const readable = (db: Db | Tx) =>
  db
    .select({ event: events, trade: trades })
    .from(events)
    .leftJoin(trades, and(isNull(events.object), sql`${trades.id} = ${events.objectId}`));

function stored({ event, trade }: { event: Row; trade: Trade | null }): StoredEvent {
  const id = eventIdOf(event.partnerId, event);
  return { ...event, id, objectId: eventObjectId(event.objectType, event.objectId), trade };
}

export interface EventFilter {
  /** Undefined: of every type. */
  types?: readonly EventType[] | undefined;
  objectId?: string | undefined;
}

/** Returns events of a partner behind a number, oldest first. */
export async function findEvents(
  db: Db | Tx,
  partner: Uuid,
  { types, objectId }: EventFilter,
  page: { after: bigint; limit: number },
): Promise<StoredEvent[]> {
  const own = and(sameHash(events.partnerId, sql`${partner}::uuid`), gt(events.sequence, page.after));
  const about = objectId === undefined ? undefined : readEventObjectId(objectId);
  if (objectId !== undefined && !about) return [];
  const ofTypes =
    types && (objectId === undefined ? isFirstOf(types, partner, page) : inArray(events.type, [...types]));
  const ofObject = about && and(eq(events.objectId, about.uuid), inArray(events.objectType, about.types));
  const found = await readable(db)
    .where(and(own, ofTypes, ofObject))
    .orderBy(asc(events.sequence))
    .limit(page.limit);
  return found.map(stored);
}

/** Condition: the event is one of the first of some types. Each type is read by itself, so that a rare one is found at once. */
function isFirstOf(
  types: readonly EventType[],
  partner: Uuid,
  { after, limit }: { after: bigint; limit: number },
): SQL {
  return sql`${events.sequence} = any(array(
    select first.sequence from unnest(${sql.param([...types])}::event_type[]) as wanted (type) cross join lateral (
      select sequence from events
      where uuid_hash(partner_id) = uuid_hash(${partner}::uuid) and partner_id = ${partner} and type = wanted.type
        and sequence > ${after.toString()}::bigint
      order by sequence limit ${limit}
    ) as first
    order by first.sequence limit ${limit}))`;
}

/** Returns the number of an event of a partner; undefined for one that is not in the log and for another partner's alike. */
export async function findSequence(db: Db | Tx, partner: Uuid, id: string): Promise<bigint | undefined> {
  return (await findSequences(db, partner, [id]))[0];
}

/** Returns the numbers of events of a partner, in the order of their ids; undefined for what is no event of its log. */
export async function findSequences(
  db: Db | Tx,
  partner: Uuid,
  ids: readonly string[],
): Promise<(bigint | undefined)[]> {
  const places = ids.map((id) => readEventId(partner, id));
  const wanted = places.flatMap((place) => place?.sequence ?? []);
  if (wanted.length === 0) return ids.map(() => undefined);
  const found = await db
    .select({ sequence: events.sequence, createdAt: events.createdAt })
    .from(events)
    .where(and(sameHash(events.partnerId, sql`${partner}::uuid`), inArray(events.sequence, wanted)));
  const times = new Map(found.map(({ sequence, createdAt }) => [sequence, createdAt.getTime()]));
  // Compared here, because an id may name a year that PostgreSQL does not read.
  return places.map((place) =>
    place && times.get(place.sequence) === place.createdAt.getTime() ? place.sequence : undefined,
  );
}

/** Returns events of any partners by their ids; those that are no longer kept are left out. */
export async function findNumberedEvents(
  db: Db | Tx,
  numbers: readonly Pick<Row, 'partnerId' | 'sequence'>[],
): Promise<Map<EventId, StoredEvent>> {
  if (numbers.length === 0) return new Map();
  const partners = numbers.map(({ partnerId: partner }) => partner);
  const sequences = numbers.map(({ sequence }) => sequence);
  const found = await readable(db).where(sql`(${hashOfPartner(events.partnerId)}, ${events.sequence}) in (
    select ${hashOfPartner(sql`wanted.partner_id`)}, wanted.sequence
    from unnest(${sql.param(partners)}::uuid[], ${sql.param(sequences)}::bigint[]) as wanted (partner_id, sequence))`);
  return new Map(found.map(stored).map((event) => [event.id, event]));
}

/** Returns the number of the newest event of each of these partners that has one; by default of every partner. */
export async function findLastSequences(db: Db | Tx, partners?: readonly Uuid[]): Promise<Map<Uuid, bigint>> {
  if (partners?.length === 0) return new Map();
  const found = await db
    .select()
    .from(eventCounters)
    .where(partners && eq(eventCounters.partnerId, sql`any(${sql.param([...partners])}::uuid[])`));
  return new Map(found.map(({ partnerId: id, last }) => [id, last]));
}

/** Events of a partner: those behind `after`, up to `last`. */
export interface LogPart {
  partnerId: Uuid;
  after: bigint;
  last: bigint;
}

/** Returns what the events in parts of logs are about, each object once. At most `limit` events of each part are read. */
export async function findObjectsOf(
  db: Db | Tx,
  parts: readonly LogPart[],
  limit: number,
): Promise<Pick<Event, 'objectType' | 'objectId'>[]> {
  const ids = parts.map(({ partnerId: id }) => id);
  const [afters, lasts] = [parts.map(({ after }) => after), parts.map(({ last }) => last)];
  const found = await db.execute<{ object_type: EventObjectType; object_id: Uuid }>(sql`
    select distinct event.object_type, event.object_id
    from unnest(${sql.param(ids)}::uuid[], ${sql.param(afters)}::bigint[], ${sql.param(lasts)}::bigint[]) as part (partner_id, after, last)
      cross join lateral (
        select object_type, object_id from ${events}
        where ${sameHash(sql`partner_id`, sql`part.partner_id`)} and sequence > part.after and sequence <= part.last
        order by sequence limit ${limit}
      ) event`);
  return found.map((row) => ({
    objectType: row.object_type,
    objectId: eventObjectId(row.object_type, row.object_id),
  }));
}
