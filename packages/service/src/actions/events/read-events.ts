import type { Db } from '../../db/client.js';
import { findSequence } from '../../db/events/events.js';
import { asEventType, type EventType, eventTypes } from '../../domain/event.js';
import type { Uuid } from '../../domain/ids.js';
import { invalidField } from '../../errors.js';

/** Returns the number of an event of a partner. Throws `invalid_request` naming `field` for one that its log does not hold. */
export async function getSequence(
  db: Db,
  partnerId: Uuid,
  text: string,
  field: 'after' | 'Last-Event-ID' = 'after',
): Promise<bigint> {
  const sequence = await findSequence(db, partnerId, text);
  if (sequence !== undefined) return sequence;
  throw invalidField(field, `${field} is no event of this log: it is unknown, or older than 90 days.`);
}

/** Returns the types that a text names, separated by commas; undefined for none. Throws `invalid_request`, field `types`. */
export function readEventTypes(text: string | undefined): EventType[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  const types = names.flatMap((name) => asEventType(name) ?? []);
  if (types.length === names.length) return [...new Set(types)];
  const unknown = names.find((name) => !asEventType(name)) ?? '';
  throw invalidField(
    'types',
    `types has "${unknown.slice(0, 64)}", which is no type of events; they are ${eventTypes.join(', ')}.`,
  );
}
