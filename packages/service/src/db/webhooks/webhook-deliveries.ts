import { and, eq, inArray, isNotNull, isNull, lte, min, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, index, integer, jsonb, pgEnum, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { type EventType, eventIdOf } from '../../domain/event.js';
import {
  type DeliveryId,
  type EndpointId,
  type EventId,
  prefixedId,
  type Uuid,
  uuidOf,
} from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import type { Attempt } from '../../domain/webhook.js';
import type { Db, Tx } from '../client.js';
import { int64, moment, prefixed, sameHash } from '../columns.js';
import { eventCounters, events } from '../events/events.js';
import { resendLocks } from '../locks.js';
import { type Filter, findPage, matching, type PageOf } from '../page.js';
import { changeRow, findRow } from '../rows.js';
import { type WebhookEndpoint, webhookEndpointKey, webhookEndpoints } from './webhook-endpoints.js';

const deliveryKey = prefixed('dlv');
export const webhookDeliveryStatus = pgEnum('webhook_delivery_status', ['pending', 'delivered', 'failed']);

/** Each event for each endpoint that takes it: what is to be sent, and what came of it. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: deliveryKey().primaryKey(),
    endpointId: webhookEndpointKey('endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: 'cascade' }),
    /** The number of the event in the log of the endpoint's partner. */
    sequence: int64().notNull(),
    eventCreatedAt: moment('event_created_at').notNull(),
    type: text().notNull().$type<EventType>(),
    status: webhookDeliveryStatus().notNull().default('pending'),
    attempts: jsonb().notNull().default([]).$type<Attempt[]>(),
    /** Attempts since it was planned, or requested again. */
    tries: integer().notNull().default(0),
    /** Null when none follows. */
    nextAttemptAt: moment('next_attempt_at'),
    /** By the clock of the database: a process makes an attempt until then. */
    claimedUntil: moment('claimed_until'),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    unique('webhook_deliveries_event').on(t.endpointId, t.sequence),
    index('webhook_deliveries_created').on(t.endpointId, t.createdAt, t.id),
    index('webhook_deliveries_age').on(t.createdAt),
    index('webhook_deliveries_due').on(t.endpointId, t.nextAttemptAt).where(sql`status = 'pending'`),
  ],
);

export type WebhookDelivery = typeof webhookDeliveries.$inferSelect;

/** A delivery that this process makes an attempt of, with where it goes. */
export interface ClaimedDelivery {
  id: DeliveryId;
  endpointId: EndpointId;
  partnerId: Uuid;
  sequence: bigint;
  eventId: EventId;
  tries: number;
  url: string;
  secrets: string[];
}

/** Deliveries that are requested again keep their last attempts. */
const attemptsKept = 30;

/** Endpoints whose events one statement makes deliveries of. */
const plannedAtOnce = 1_000;

/**
 * Makes deliveries of the events that active endpoints have not been given yet, a part of them at once. Returns whether
 * there may be more. Processes that do it at the same time take different endpoints.
 */
export async function planDeliveries(db: Db | Tx, at: Date): Promise<boolean> {
  const moved = await db.execute<{ more: boolean }>(sql`
    with behind as materialized (
      select endpoint.id, endpoint.partner_id, endpoint.types, endpoint.planned_sequence as first,
        least(counter.last, endpoint.planned_sequence + 500) as last,
        counter.last > endpoint.planned_sequence + 500 as more
      from ${webhookEndpoints} endpoint join ${eventCounters} counter using (partner_id)
      where endpoint.status = 'active' and endpoint.planned_sequence < counter.last
      limit ${plannedAtOnce} for update of endpoint skip locked
    ), planned as (
      insert into ${webhookDeliveries} (id, endpoint_id, sequence, event_created_at, type, next_attempt_at, created_at)
      select gen_random_uuid(), behind.id, event.sequence, event.created_at, event.type::text, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
      from behind join ${events} event on ${sameHash(sql`event.partner_id`, sql`behind.partner_id`)}
        and event.sequence > behind.first and event.sequence <= behind.last
      where behind.types is null or event.type::text = any(behind.types)
      order by event.sequence
      on conflict (endpoint_id, sequence) do nothing
    )
    update ${webhookEndpoints} endpoint set planned_sequence = behind.last
    from behind where endpoint.id = behind.id returning behind.more`);
  return moved.length === plannedAtOnce || moved.some(({ more }) => more);
}

/**
 * Claims deliveries that are due, at most `limit`, and at most `each` of an endpoint; none of endpoints that are `busy`. Only
 * those of endpoints that work, or that are `failing`. A claim lapses after 30 s.
 */
export async function claimDeliveries(
  db: Db | Tx,
  at: Date,
  wanted: { failing: boolean; busy: readonly EndpointId[]; limit: number; each: number },
): Promise<ClaimedDelivery[]> {
  const { failing, busy, limit, each } = wanted;
  const rows = await db.execute<
    Record<'id' | 'endpoint_id' | 'sequence' | 'event_created_ms' | 'url' | 'secret', string> & {
      partner_id: Uuid;
      tries: number;
      previous: string | null;
    }
  >(sql`
    with due as materialized (
      select delivery.id, endpoint.partner_id, endpoint.url, endpoint.secret,
        case when endpoint.previous_until > ${at.toISOString()}::timestamptz then endpoint.previous_secret end as previous
      from ${webhookEndpoints} endpoint cross join lateral (
        select id from ${webhookDeliveries} one
        where one.endpoint_id = endpoint.id and one.status = 'pending' and one.next_attempt_at <= ${at.toISOString()}::timestamptz
          and (one.claimed_until is null or one.claimed_until < clock_timestamp())
        order by one.next_attempt_at limit ${each} for update skip locked
      ) delivery
      where endpoint.status = 'active' and (endpoint.failing_since is not null) = ${failing}
        and not endpoint.id = any(${sql.param(busy.map(uuidOf))}::uuid[])
      limit ${limit}
    )
    update ${webhookDeliveries} delivery set claimed_until = clock_timestamp() + interval '30 seconds'
    from due where delivery.id = due.id
    returning delivery.id, delivery.endpoint_id, due.partner_id, delivery.sequence,
      (extract(epoch from delivery.event_created_at) * 1000)::bigint as event_created_ms, delivery.tries, due.url, due.secret, due.previous`);
  return rows.map(
    ({ id, endpoint_id, partner_id, sequence, event_created_ms, tries, url, secret, previous }) => ({
      id: prefixedId('dlv', id),
      endpointId: prefixedId('we', endpoint_id),
      partnerId: partner_id,
      sequence: BigInt(sequence),
      eventId: eventIdOf(partner_id, {
        sequence: BigInt(sequence),
        createdAt: new Date(toInteger(event_created_ms)),
      }),
      tries,
      url,
      secrets: previous === null ? [secret] : [secret, previous],
    }),
  );
}

/** Gives back what was claimed, so that another process may take it at once. */
export async function releaseDeliveries(tx: Tx, ids: readonly DeliveryId[]): Promise<void> {
  await tx
    .update(webhookDeliveries)
    .set({ claimedUntil: null })
    .where(inArray(webhookDeliveries.id, [...ids]));
}

/** Writes attempts that succeeded, in one statement, but of deliveries that are gone or were requested again meanwhile. */
export async function recordDelivered(
  tx: Tx,
  given: readonly { id: DeliveryId; attempt: Attempt }[],
): Promise<void> {
  const ids = given.map(({ id }) => uuidOf(id));
  const made = given.map(({ attempt }) => JSON.stringify([attempt]));
  await tx.execute(sql`
    with made as (
      select delivery.id, given.attempt
      from unnest(${sql.param(ids)}::uuid[], ${sql.param(made)}::jsonb[]) as given (id, attempt)
      join ${webhookDeliveries} delivery using (id)
      order by delivery.id for update of delivery
    )
    update ${webhookDeliveries} delivery set status = 'delivered', next_attempt_at = null, claimed_until = null, tries = tries + 1,
      attempts = ${withAttempt(sql`delivery.attempts`, sql`made.attempt`)}
    from made where delivery.id = made.id and delivery.claimed_until is not null`);
}

/** The attempts with another one behind them, and without the first where there are too many. */
const withAttempt = (attempts: SQL | AnyPgColumn, attempt: SQL) =>
  sql`case when jsonb_array_length(${attempts}) >= ${attemptsKept} then (${attempts} || ${attempt}) - 0 else ${attempts} || ${attempt} end`;

/** Writes what came of an attempt; false when the delivery is gone, with its endpoint, or was asked for again meanwhile. */
export async function recordDelivery(
  tx: Tx,
  id: DeliveryId,
  attempt: Attempt,
  outcome: Pick<WebhookDelivery, 'status' | 'tries' | 'nextAttemptAt'>,
): Promise<boolean> {
  const attempts = withAttempt(webhookDeliveries.attempts, sql`${JSON.stringify([attempt])}::jsonb`);
  const changes = { ...outcome, attempts, claimedUntil: null };
  const claimed = and(eq(webhookDeliveries.id, id), isNotNull(webhookDeliveries.claimedUntil));
  return changeRow(tx, webhookDeliveries, changes, claimed);
}

/** How many deliveries one statement ends or deletes, so that none takes long. */
const endedAtOnce = 5_000;

/** The first pending deliveries that meet a condition, locked in the order of their ids, as those of attempts are. */
const somePending = (tx: Tx, condition: SQL | undefined) =>
  tx
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(and(condition, eq(webhookDeliveries.status, 'pending')))
    .orderBy(webhookDeliveries.id)
    .limit(endedAtOnce)
    .for('update');

/** Ends a part of what is still to be sent to disabled endpoints. Returns whether there may be more. */
export async function failPendingDeliveries(tx: Tx): Promise<boolean> {
  const disabled = tx
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.status, 'disabled'));
  const { count } = await tx
    .update(webhookDeliveries)
    .set({ status: 'failed', nextAttemptAt: null, claimedUntil: null })
    .where(inArray(webhookDeliveries.id, somePending(tx, inArray(webhookDeliveries.endpointId, disabled))));
  return count === endedAtOnce;
}

/** Whether anything is still to be sent to an endpoint. */
export async function hasPendingDeliveries(tx: Tx, endpointId: EndpointId): Promise<boolean> {
  const pending = and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.status, 'pending'));
  const [one] = await tx.select({ id: webhookDeliveries.id }).from(webhookDeliveries).where(pending).limit(1);
  return one !== undefined;
}

/** Deletes a part of the deliveries of an endpoint. Returns whether there may be more. */
export async function deleteDeliveries(tx: Tx, endpointId: EndpointId): Promise<boolean> {
  const some = tx
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.endpointId, endpointId))
    .limit(endedAtOnce);
  const { count } = await tx.delete(webhookDeliveries).where(inArray(webhookDeliveries.id, some));
  return count === endedAtOnce;
}

/** A page of the deliveries of an endpoint, newest first. */
export const findDeliveries = (db: Db | Tx, filter: Filter<typeof webhookDeliveries>, page: PageOf) =>
  findPage(db, webhookDeliveries, matching(webhookDeliveries, filter), page);

/** A delivery to an endpoint. */
export const findDelivery = (db: Db | Tx, endpointId: EndpointId, id: DeliveryId) =>
  findRow(
    db,
    webhookDeliveries,
    and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.id, id)),
  );

/** What is sent to an endpoint again. */
export type Resend = { sequences: readonly bigint[] } | { from: Date; to: Date };

/** Events that one request sends again, at most. */
export const maxResent = 10_000;

/** Claims for a partner, until the transaction ends, to have events sent again. Returns whether no other has the claim. */
export async function claimResend(tx: Tx, partnerId: Uuid): Promise<boolean> {
  const [row] = await tx.execute<{ claimed: boolean }>(
    sql`select pg_try_advisory_xact_lock(${resendLocks}::int, hashtext(${partnerId})) as claimed`,
  );
  return row?.claimed === true;
}

/** Has events of a partner sent to an endpoint again: some, or those of a time that it takes. Returns how many; undefined, and sends none, for too many. */
export async function resendEvents(
  tx: Tx,
  endpoint: { id: EndpointId; partnerId: Uuid; types: EventType[] | null },
  wanted: Resend,
  at: Date,
): Promise<number | undefined> {
  const which =
    'sequences' in wanted
      ? sql`${sameHash(sql`event.partner_id`, sql`${endpoint.partnerId}::uuid`)} and event.sequence = any(${sql.param(wanted.sequences.map(String))}::bigint[])`
      : sql`event.created_at >= ${wanted.from.toISOString()}::timestamptz and event.created_at <= ${wanted.to.toISOString()}::timestamptz
          and (${sql.param(endpoint.types)}::text[] is null or event.type::text = any(${sql.param(endpoint.types)}::text[]))`;
  const own = sql`from ${events} event where event.partner_id = ${endpoint.partnerId} and ${which}`;
  const found = await tx.execute(sql`select ${own} limit ${maxResent + 1}`);
  if (found.length > maxResent) return undefined;
  const planned = await tx.execute(sql`
    insert into ${webhookDeliveries} (id, endpoint_id, sequence, event_created_at, type, next_attempt_at, created_at)
    select gen_random_uuid(), ${uuidOf(endpoint.id)}::uuid, event.sequence, event.created_at, event.type::text, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    ${own} order by event.sequence
    on conflict (endpoint_id, sequence) do update set status = 'pending', tries = 0, next_attempt_at = excluded.next_attempt_at, claimed_until = null
    returning id`);
  return planned.length;
}

/** When the longest overdue delivery to an endpoint that works was due; undefined when none is. */
export async function findOldestDue(db: Db | Tx, at: Date): Promise<Date | undefined> {
  const [row] = await db
    .select({ since: min(webhookDeliveries.nextAttemptAt) })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(
      and(
        eq(webhookDeliveries.status, 'pending'),
        lte(webhookDeliveries.nextAttemptAt, at),
        eq(webhookEndpoints.status, 'active'),
        isNull(webhookEndpoints.failingSince),
      ),
    );
  return row?.since ?? undefined;
}

/** Returns active endpoints that have failed since `since` at the latest. */
export async function findLongFailingEndpoints(db: Db | Tx, since: Date): Promise<WebhookEndpoint[]> {
  return db
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.status, 'active'), lte(webhookEndpoints.failingSince, since)))
    .limit(100);
}
