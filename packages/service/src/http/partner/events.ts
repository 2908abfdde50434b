import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findEvents } from '../../db/events/events.js';
import { eventTypes, logStart } from '../../domain/event.js';
import type { Principal } from '../../domain/principal.js';
import { withObjects, withoutSecrets } from '../../events/partner-events.js';
import { findLogEnd, getSequence, type LogPlace, readEventTypes } from '../../events/read-events.js';
import { EventView, exampleEventId, toEventView } from '../../views/event-view.js';
import { about } from '../../views/fields.js';
import { tagRoutes } from '../openapi/conventions.js';
import type { EventStreams } from '../server/event-streams.js';
import { parseLimit, storable } from '../server/lists.js';
import { sendStream, streamResponse } from '../server/open-streams.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

const after = Type.String(
  about(`Only events after this one: an \`id\` from your log, or \`${logStart}\` for all.`, exampleEventId),
);
const types = Type.String(
  about(
    `Only events of these types, separated by commas: ${eventTypes.map((type) => `\`${type}\``).join(', ')}.`,
    'trade.confirmed,trade.failed',
  ),
);

const listRoute = route(reading, {
  operationId: 'listEvents',
  summary: 'List the events',
  description:
    'What has happened, oldest first. `sequence` counts the events of the partner from 1, without gaps, in the order in which they became visible: once you have seen a number, no smaller one appears. Go on with the `id` of the last event as `after`. Events are kept for at least 90 days.',
  querystring: Type.Partial(
    Type.Object({
      after,
      types,
      object_id: Type.String(
        about('Only events of this object.', 'trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'),
      ),
      limit: Type.String({
        description: 'Events in the response, 1 to 100; default 100.',
        examples: ['100'],
      }),
    }),
  ),
  response: {
    200: Type.Object({
      events: Type.Array(EventView),
      has_more: Type.Boolean(about('Whether there are more behind the last one.', false)),
    }),
  },
});

const streamRoute = route(reading, {
  operationId: 'streamEvents',
  summary: 'Stream the events',
  description:
    'Server-sent events, each as soon as its change is committed: `id` is that of the event, `data` the event as in the list. Resumes behind the event that the header `Last-Event-ID` names, else behind `after`, else with what comes next; the first comment has the `id` of that place, `start` before the first event of all, so that a client that is cut off before any event resumes there. A comment follows every 15 s. A key or member may have 5 streams open at once, and all keys and members of a partner 50; a further one is 429. A stream ends when its key is revoked or the partner suspended, or when its session ends.',
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String(
        about('The last event that was received; browsers send it when they connect again.', exampleEventId),
      ),
    ),
  }),
  querystring: Type.Partial(Type.Object({ after, types })),
  response: streamResponse(
    `id: ${exampleEventId}\ndata: {"id":"${exampleEventId}","sequence":42,"type":"trade.confirmed"}\n\n`,
  ),
});

/** The log of what has happened to a partner's things. */
export function eventRoutes(ctx: Context, streams: EventStreams): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Events');
    app.get('/v1/events', listRoute, async ({ principal, query }) => {
      const { partnerId } = principal;
      const limit = parseLimit(query.limit);
      const wanted = readEventTypes(query.types);
      const position = query.after === undefined ? 0n : await getSequence(ctx.db, partnerId, query.after);
      const objectId = query.object_id === undefined ? undefined : storable(query.object_id);
      if (query.object_id !== undefined && objectId === undefined) return { events: [], has_more: false };
      const filter = { types: wanted, objectId };
      const found = await findEvents(ctx.db, partnerId, filter, { after: position, limit: limit + 1 });
      const whole = await withObjects(ctx, found.slice(0, limit));
      const shown = 'keyId' in principal ? whole : whole.map(withoutSecrets);
      return { events: shown.map(toEventView), has_more: found.length > limit };
    });

    app.get('/v1/events/stream', { ...streamRoute, exposeHeadRoute: false }, async (request, reply) => {
      const { principal, query, headers } = request;
      const caller =
        'keyId' in principal ? principal : { ...principal, sessionHash: request.portalSession.sessionHash };
      const wanted = readEventTypes(query.types);
      const start = await startOf(principal, headers['last-event-id'], query.after);
      const stream = await streams.open(reply, { caller, start, types: wanted });
      return sendStream(reply, stream);
    });
  };

  /** Returns where a stream begins. */
  async function startOf(
    { partnerId }: Principal,
    lastId: string | undefined,
    after: string | undefined,
  ): Promise<LogPlace> {
    if (lastId)
      return { sequence: await getSequence(ctx.db, partnerId, lastId, 'Last-Event-ID'), position: lastId };
    if (after !== undefined)
      return { sequence: await getSequence(ctx.db, partnerId, after), position: after };
    return findLogEnd(ctx.db, partnerId);
  }
}
