import { and, count, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { EventType } from '../../domain/event.js';
import type { EndpointId, Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { int64, moment, prefixed } from '../columns.js';
import { eventCounters } from '../events/events.js';
import { type Filter, findPage, matching, type PageOf } from '../page.js';
import { partners } from '../partners/partners.js';
import { changeRow, findRow } from '../rows.js';

export const webhookEndpointKey = prefixed('we');
export const webhookEndpointStatus = pgEnum('webhook_endpoint_status', ['active', 'disabled']);

/** Where partners receive their events. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: webhookEndpointKey().primaryKey(),
    partnerId: uuid('partner_id')
      .notNull()
      .references(() => partners.id)
      .$type<Uuid>(),
    /** In canonical form. */
    url: text().notNull(),
    /** Null: of every type. */
    types: text().array().$type<EventType[]>(),
    description: text(),
    status: webhookEndpointStatus().notNull().default('active'),
    /** Signs every webhook, so it is kept as it is. */
    secret: text().notNull(),
    /** Signs beside it until then. */
    previousSecret: text('previous_secret'),
    previousUntil: moment('previous_until'),
    /** The events up to this number have become deliveries. */
    plannedSequence: int64('planned_sequence').notNull(),
    /** The first attempt that failed since the last one that succeeded; null while the endpoint works. */
    failingSince: moment('failing_since'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    index('webhook_endpoints_partner_created').on(t.partnerId, t.createdAt, t.id),
    index('webhook_endpoints_created').on(t.createdAt, t.id),
    check('webhook_endpoints_url_length', sql`char_length(${t.url}) between 1 and 2048`),
    check(
      'webhook_endpoints_previous_secret',
      sql`(${t.previousSecret} is null) = (${t.previousUntil} is null)`,
    ),
  ],
);

export type WebhookEndpoint = typeof webhookEndpoints.$inferSelect;

export async function insertEndpoint(tx: Tx, endpoint: WebhookEndpoint): Promise<void> {
  await tx.insert(webhookEndpoints).values(endpoint);
}

export async function countEndpoints(tx: Db | Tx, partnerId: Uuid): Promise<number> {
  const [row] = await tx
    .select({ all: count() })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.partnerId, partnerId));
  return row?.all ?? 0;
}

/** A page of the endpoints of all partners, or of one, newest first. */
export const findEndpoints = (db: Db | Tx, filter: Filter<typeof webhookEndpoints>, page: PageOf) =>
  findPage(db, webhookEndpoints, matching(webhookEndpoints, filter), page);

/** An endpoint of any partner. */
export const findEndpoint = (db: Db | Tx, id: EndpointId) =>
  findRow(db, webhookEndpoints, eq(webhookEndpoints.id, id));

/** One that only this transaction changes until it ends. */
export const lockEndpoint = (tx: Tx, id: EndpointId) =>
  findRow(tx, webhookEndpoints, eq(webhookEndpoints.id, id), 'no key update');

export const updateEndpoint = (
  tx: Tx,
  id: EndpointId,
  changes: Partial<Omit<WebhookEndpoint, 'id' | 'partnerId' | 'createdAt'>>,
) => changeRow(tx, webhookEndpoints, changes, eq(webhookEndpoints.id, id));

/** Deletes an endpoint with its deliveries; false when there is none. */
export async function deleteEndpoint(tx: Tx, id: EndpointId): Promise<boolean> {
  const { count: deleted } = await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id));
  return deleted === 1;
}

/** Notes that endpoints work. Writes nothing for those that did. They are locked in the order of their ids. */
export async function endFailing(tx: Tx, ids: readonly EndpointId[]): Promise<void> {
  const failing = tx
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(and(inArray(webhookEndpoints.id, [...new Set(ids)]), isNotNull(webhookEndpoints.failingSince)))
    .orderBy(webhookEndpoints.id)
    .for('no key update');
  await tx.update(webhookEndpoints).set({ failingSince: null }).where(inArray(webhookEndpoints.id, failing));
}

/** Notes that an endpoint fails, if it is not known to. */
export async function beginFailing(tx: Tx, id: EndpointId, at: Date): Promise<void> {
  const working = and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.failingSince));
  await tx.update(webhookEndpoints).set({ failingSince: at }).where(working);
}

/** The number of a partner's newest event; 0 before the first. */
export async function findNewestSequence(tx: Tx, partnerId: Uuid): Promise<bigint> {
  const counter = await findRow(tx, eventCounters, eq(eventCounters.partnerId, partnerId));
  return counter?.last ?? 0n;
}
