import { Type } from '@fastify/type-provider-typebox';
import type { Event } from '../db/events/events.js';
import { eventIdOf, eventObjectTypes, eventTypes } from '../domain/event.js';
import type { Uuid } from '../domain/ids.js';
import { toInteger } from '../domain/integer.js';
import { about } from './fields.js';
import { choice, freeObject, Nullable, titled } from './schemas.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';

/** Id of the event whose number is 42, of a partner with that UUID. */
export const exampleEventId = eventIdOf(uuid as Uuid, {
  sequence: 42n,
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
});

/** An event as it is in the log, in the stream and in the body of a webhook. */
export const EventView = titled('Event', {
  id: Type.String(about('Id of the event, prefixed `evt_`.', exampleEventId)),
  sequence: Type.Integer(about('Its number in your log: 1, 2, 3, without gaps.', 42)),
  type: choice(eventTypes, about('What happened.', 'trade.confirmed')),
  created_at: Type.String(about('UTC, with milliseconds.', '2026-03-01T12:00:00.000Z')),
  request_id: Nullable(
    Type.String(),
    about('`x-request-id` of the request that did it; null if none of the API did.', null),
  ),
  data: Type.Object({
    object_type: choice(eventObjectTypes, about('What `object` is.', 'trade')),
    object: freeObject(
      about('What GET of the object returned at that moment.', {
        trade_id: `trd_${uuid}`,
        side: 'buy',
        status: 'confirmed',
        usdc_amount: 100,
        gold_amount: 0.024267,
      }),
    ),
  }),
});

export function toEventView(event: Event) {
  const { id, sequence, type, createdAt, requestId, objectType, object } = event;
  return {
    id,
    sequence: toInteger(sequence),
    type,
    created_at: createdAt.toISOString(),
    request_id: requestId,
    data: { object_type: objectType, object },
  };
}
