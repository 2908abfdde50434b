import { asEventId, asUuid, type EventId, type Prefix, prefixedId, type Uuid, uuidOf } from './ids.js';

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
  'member.invited',
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
  'invitation',
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

/** The highest number of an event for which its id has room: 40 bits. */
const lastSequence = 2n ** 40n - 1n;

/**
 * Returns the id of an event, which is not stored: a UUID of version 8 with the milliseconds of its time in the first 48 bits,
 * and behind version and variant its number in 40 bits and the last 32 bits of the partner's id. The time makes the ids of
 * events that were lost with a database, and whose numbers are given again, differ from those of the events that have the
 * numbers then. Throws RangeError for a number that has no room.
 */
export function eventIdOf(partnerId: Uuid, { sequence, createdAt }: EventPlace): EventId {
  if (sequence < 1n || sequence > lastSequence) throw new RangeError(`no event has the number ${sequence}`);
  const time = createdAt.getTime().toString(16).padStart(12, '0');
  const number = sequence.toString(16).padStart(10, '0');
  const uuid = `${time.slice(0, 8)}-${time.slice(8)}-8${number.slice(0, 3)}-8${number.slice(3, 6)}-${number.slice(6)}`;
  return prefixedId('evt', `${uuid}${endOf(partnerId)}`);
}

/** Returns what the id of an event of a partner says of it; undefined for any other text, also for another partner's event. */
export function readEventId(partnerId: Uuid, text: string): EventPlace | undefined {
  const id = asEventId(text);
  const [, ms, ...number] =
    /^(.{8}-.{4})-8(.{3})-8(.{3})-(.{4})(.{8})$/.exec(id === undefined ? '' : uuidOf(id)) ?? [];
  if (ms === undefined || number.pop() !== endOf(partnerId)) return undefined;
  const sequence = BigInt(`0x${number.join('')}`);
  const createdAt = new Date(Number.parseInt(ms.replace('-', ''), 16));
  return sequence === 0n ? undefined : { sequence, createdAt };
}

/** Where an event stands in the log of its partner. */
export interface EventPlace {
  sequence: bigint;
  createdAt: Date;
}

/** What of the partner's id stands in those of its events. */
const endOf = (partnerId: Uuid): string => partnerId.slice(-8);

export function asEventType(text: string): EventType | undefined {
  return eventTypes.find((type) => type === text);
}

/** The position of a stream before the first event of a log, where others are the id of an event. */
export const logStart = 'start';

/** Events are kept this long, by the clock of the service. */
export const eventsKeptMs = 90 * 24 * 60 * 60_000;
