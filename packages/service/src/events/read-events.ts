import type { Db } from '../db/client.js';
import { findEvents, findLastSequences, findSequence } from '../db/events/events.js';
import { asEventType, type EventType, eventTypes, logStart } from '../domain/event.js';
import type { Uuid } from '../domain/ids.js';
import { invalidField } from '../errors.js';

/** Returns the number of an event of a partner, 0 for the start of its log. Throws `invalid_request` naming `field` for one that its log does not hold. */
export async function getSequence(
  db: Db,
  partnerId: Uuid,
  text: string,
  field: 'after' | 'Last-Event-ID' = 'after',
): Promise<bigint> {
  if (text === logStart) return 0n;
  const sequence = await findSequence(db, partnerId, text);
  if (sequence !== undefined) return sequence;
  throw invalidField(field, `${field} is no event of this log: it is unknown, or older than 90 days.`);
}

/** A place in a log: the number of the event before it, and the text by which a client resumes there. */
export interface LogPlace {
  sequence: bigint;
  position: string;
}

/** Returns the end of a partner's log. Its start stands for an event that is no longer kept, as all before it are gone, too. */
export async function findLogEnd(db: Db, partnerId: Uuid): Promise<LogPlace> {
  const sequence = (await findLastSequences(db, [partnerId])).get(partnerId) ?? 0n;
  const [last] = await findEvents(db, partnerId, {}, { after: sequence - 1n, limit: 1 });
  return { sequence, position: last?.sequence === sequence ? last.id : logStart };
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
