import { asUuid, type Prefix, prefixedId, type Uuid } from './ids.js';

/** Every event that a partner gets, in the order of the documentation: a closed list. */
export const eventTypes = [
  'user.created',
  'user.suspended',
  'user.resumed',
  'user.kyc_level_changed',
  'api_key.created',
  'api_key.revoked',
  'trade.submitted',
  'trade.confirmed',
  'trade.failed',
  'trade.expired',
  'trade.reverted',
  'redemption.submitted',
  'redemption.preparing',
  'redemption.ready',
  'redemption.collected',
  'redemption.cancellation_requested',
  'redemption.cancelled',
  'redemption.failed',
  'redemption.refunded',
  'redemption.burned',
  'purchase.confirmed',
  'purchase.failed',
  'purchase.expired',
  'sale.confirmed',
  'sale.failed',
  'sale.expired',
  'withdrawal.confirmed',
  'withdrawal.failed',
  'withdrawal.expired',
  'executives.changed',
  'partner.suspended',
  'partner.resumed',
  'webhook_endpoint.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

/** What an event is about. */
export const eventObjectTypes = [
  'user',
  'api_key',
  'trade',
  'operation',
  'redemption',
  'purchase',
  'sale',
  'withdrawal',
  'partner',
  'webhook_endpoint',
] as const;

export type EventObjectType = (typeof eventObjectTypes)[number];

/** Prefixes of the ids of what an event is about; the others have plain UUIDs. */
const prefixes: Partial<Record<EventObjectType, Prefix>> = {
  user: 'gu',
  trade: 'trd',
  operation: 'trd',
  redemption: 'red',
  webhook_endpoint: 'we',
};

/** Returns the id by which callers know what an event is about. */
export function eventObjectId(type: EventObjectType, uuid: Uuid): string {
  const prefix = prefixes[type];
  return prefix ? prefixedId(prefix, uuid) : uuid;
}

/** Returns the UUID in such an id, and of what types the object may be; undefined for a text that is no such id. */
export function readEventObjectId(text: string): { uuid: Uuid; types: EventObjectType[] } | undefined {
  const end = text.indexOf('_');
  const prefix = end < 0 ? undefined : text.slice(0, end);
  const uuid = asUuid(text.slice(end + 1));
  const types = eventObjectTypes.filter((type) => prefixes[type] === prefix);
  return uuid && text.endsWith(uuid) && types.length > 0 ? { uuid, types } : undefined;
}

/** Returns `text` as a type of events, or undefined. */
export function asEventType(text: string): EventType | undefined {
  return eventTypes.find((type) => type === text);
}

/** Events are kept this long, by the clock of the service. */
export const eventsKeptMs = 90 * 24 * 60 * 60_000;
