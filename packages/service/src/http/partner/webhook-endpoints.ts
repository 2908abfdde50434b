import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox';
import type { onSendHookHandler } from 'fastify';
import {
  changeEndpoint,
  checkEndpoint,
  clearEndpoint,
  createEndpoint,
  findSecret,
  getDelivery,
  getEndpoint,
  removeEndpoint,
  resend,
  rotateSecret,
} from '../../actions/webhooks/manage-endpoints.js';
import type { Context } from '../../context.js';
import { findDeliveries, webhookDeliveryStatus } from '../../db/webhooks/webhook-deliveries.js';
import { findEndpoints, webhookEndpointStatus } from '../../db/webhooks/webhook-endpoints.js';
import { eventTypes, readEventId } from '../../domain/event.js';
import { asDeliveryId, asEndpointId } from '../../domain/ids.js';
import { maxUrlLength } from '../../domain/webhook.js';
import { testEndpoint } from '../../events/delivery/deliver.js';
import { exampleEventId } from '../../views/event-view.js';
import { about } from '../../views/fields.js';
import { alwaysTrue, choice, Label, Nullable, reference } from '../../views/schemas.js';
import {
  endpointField,
  responseBodyField,
  toStoredWebhookEndpointView,
  toWebhookDeliveryView,
  toWebhookEndpointView,
  toWebhookEndpointWithSecretView,
  WebhookDeliveryView,
  WebhookDeliveryWithBodyView,
  WebhookEndpointView,
  WebhookEndpointWithSecretView,
} from '../../views/webhook-view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { completeOnce } from '../server/idempotency.js';
import { cursorBehind, filterBy, pageOf, pageQuery, readPage } from '../server/lists.js';
import { route } from '../server/route.js';
import { managingWebhooks, reading } from './settings.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const params = Type.Object({ endpoint_id: Type.String(endpointField.id) });
const unknown = codes('endpoint_not_found', 'partner_mismatch');
/** An endpoint is resolved and may take 10 s to respond. */
const testWithinMs = 16_000;

const url = Type.String({ ...endpointField.url, minLength: 1, maxLength: maxUrlLength });
const types = Nullable(Type.Array(Type.String(), { maxItems: 100 }), endpointField.types);
const description = Nullable(Label(500), endpointField.description);

const managingOnce = { ...managingWebhooks, idempotent: true } as const;

const createRoute = route({ ...managingWebhooks, idempotent: true, confirmed: true } as const, {
  operationId: 'createWebhookEndpoint',
  summary: 'Register a webhook endpoint',
  description:
    'Every event from now on is sent to it at least once, signed as Standard Webhooks 1.0 says: `webhook-id` is the id of the event, and the body the event as in the log. A response with a status of 2xx within 10 s is a success; redirects are not followed. What fails is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, 3 h, 6 h, 12 h, 24 h and 24 h. A 410 disables the endpoint at once, and so do 5 days without a success. A partner may have 10.',
  errors: codes('endpoint_limit_reached'),
  body: Type.Object({
    url,
    types: Type.Optional(types),
    description: Type.Optional(description),
  }),
  response: { 201: WebhookEndpointWithSecretView },
});

const listRoute = route(reading, {
  operationId: 'listWebhookEndpoints',
  summary: 'List the webhook endpoints',
  description: 'Newest first. The secrets are never shown again.',
  querystring: pageQuery({}, cursorBehind(`we_${uuid}`)),
  response: { 200: pageOf('webhook_endpoints', WebhookEndpointView) },
});

const getRoute = route(reading, {
  operationId: 'getWebhookEndpoint',
  summary: 'Get a webhook endpoint',
  description: 'Returns one of your webhook endpoints.',
  errors: unknown,
  params,
  response: { 200: WebhookEndpointView },
});

const changeRoute = route({ ...managingWebhooks, confirmed: true } as const, {
  operationId: 'changeWebhookEndpoint',
  summary: 'Change a webhook endpoint',
  description:
    'Changes what the body names. A disabled endpoint is sent nothing; once it is active again, it is sent the events from then on, and those before by `resend`.',
  errors: codes('endpoint_not_found', 'partner_mismatch', 'transition_not_allowed'),
  params,
  body: Type.Object({
    url: Type.Optional(url),
    types: Type.Optional(types),
    description: Type.Optional(description),
    status: Type.Optional(choice(webhookEndpointStatus.enumValues, endpointField.status)),
  }),
  response: { 200: WebhookEndpointView },
});

const deleteRoute = route(managingOnce, {
  operationId: 'deleteWebhookEndpoint',
  summary: 'Delete a webhook endpoint',
  description: 'Deletes an endpoint for good, with the record of its deliveries.',
  errors: unknown,
  params,
  response: {
    200: Type.Object({
      endpoint_id: Type.String(endpointField.id),
      deleted: alwaysTrue(about('Always true.', true)),
    }),
  },
});

const rotateRoute = route({ ...managingWebhooks, idempotent: true, confirmed: true } as const, {
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'Returns a new secret. Until the overlap ends, each webhook has two signatures, by the new secret and by the one before.',
  errors: unknown,
  params,
  body: Type.Object({
    overlap_hours: Type.Optional(
      Type.Number({
        ...about('Hours for which the secret before signs, too, 0 to 72. Defaults to 24.', 24),
        minimum: 0,
        maximum: 72,
      }),
    ),
  }),
  response: { 200: WebhookEndpointWithSecretView },
});

const testRoute = route(managingWebhooks, {
  operationId: 'testWebhookEndpoint',
  summary: 'Test a webhook endpoint',
  description:
    'Sends the event `webhook.test` now, which is not in the log, and returns what came back. Takes no body.',
  errors: unknown,
  params,
  response: {
    200: Type.Object({
      delivered: Type.Boolean(about('Whether the endpoint responded with a status of 2xx in time.', true)),
      status_code: Nullable(Type.Integer(), about('Status of the response; null without one.', 200)),
      duration_ms: Type.Integer(about('How long it took.', 84)),
      error: Nullable(Type.String(), about('Why it failed; null after a success.', null)),
      body: Type.String(about('What was sent, JSON text.', '{"type":"webhook.test"}')),
      response_body: Nullable(Type.String(), responseBodyField),
    }),
  },
});

const deliveriesRoute = route(reading, {
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook endpoint',
  description: 'What was and will be sent to the endpoint, newest first, with every attempt.',
  errors: unknown,
  params,
  querystring: pageQuery(
    {
      status: choice(webhookDeliveryStatus.enumValues, about('Only deliveries with this status.', 'failed')),
      type: choice(eventTypes, about('Only deliveries of events of this type.', 'trade.confirmed')),
      event_id: Type.String(about('Only the delivery of this event.', exampleEventId)),
    },
    cursorBehind(`dlv_${uuid}`),
  ),
  response: { 200: pageOf('deliveries', WebhookDeliveryView) },
});

const deliveryRoute = route(reading, {
  operationId: 'getWebhookDelivery',
  summary: 'Get a delivery of a webhook endpoint',
  description: 'Returns a delivery with every attempt, and the body that was sent.',
  errors: codes('endpoint_not_found', 'partner_mismatch', 'not_found'),
  params: Type.Object({
    endpoint_id: Type.String(endpointField.id),
    delivery_id: Type.String(about('Id of the delivery.', `dlv_${uuid}`)),
  }),
  response: { 200: WebhookDeliveryWithBodyView },
});

const resendRoute = route(managingOnce, {
  operationId: 'resendWebhookEvents',
  summary: 'Send events again',
  description:
    'Sends an event to the endpoint again, by `event_id`, several by `event_ids`, or all that it takes of a time, by `from` and `to`, whether it got them or not. At most 10,000 at a time, and one such request at a time.',
  errors: codes('endpoint_not_found', 'partner_mismatch', 'transition_not_allowed'),
  params,
  body: Type.Object(
    {
      event_id: Type.Optional(reference(about('Id of an event of your log.', exampleEventId))),
      event_ids: Type.Optional(
        Type.Array(Type.String(), {
          ...about('Ids of events of your log, at most 100; not with `event_id`.', [exampleEventId]),
          minItems: 1,
          maxItems: 100,
        }),
      ),
      from: Type.Optional(
        reference(
          about('Events from this time on, ISO 8601; not with `event_id`.', '2026-03-01T12:00:00.000Z'),
        ),
      ),
      to: Type.Optional(
        reference(
          about('Events up to this time, ISO 8601; not with `event_id`.', '2026-03-01T13:00:00.000Z'),
        ),
      ),
    },
    { examples: [{ event_id: exampleEventId }] },
  ),
  response: {
    202: Type.Object({ resent: Type.Integer(about('Events that are sent again.', 1)) }),
  },
});

/** Where the caller's partner receives its events. */
export function webhookEndpointRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Webhooks');
    const path = '/v1/webhook-endpoints';

    /** Puts the secret into a response that is repeated: none is stored with a secret. */
    const onSend: onSendHookHandler = async (request, reply, payload) => {
      if (typeof payload !== 'string' || reply.getHeader('idempotency-replayed') === undefined)
        return payload;
      if (reply.statusCode >= 400) return payload;
      const stored: Static<typeof WebhookEndpointWithSecretView> = JSON.parse(payload);
      const { endpoint_id: id, secret: digest } = stored;
      return JSON.stringify({
        ...stored,
        secret: await findSecret(ctx, request.principal.partnerId, { id, digest }),
      });
    };

    app.post(path, { ...createRoute, onSend }, async ({ principal, body, id: requestId }, reply) => {
      const request = { url: body.url, types: body.types ?? null, description: body.description ?? null };
      const checked = await checkEndpoint(ctx, request);
      return ctx.db.transaction(async (tx) => {
        const endpoint = await createEndpoint(ctx, tx, { principal, requestId }, checked);
        await completeOnce(tx, reply, 201, toStoredWebhookEndpointView(endpoint));
        return toWebhookEndpointWithSecretView(endpoint);
      });
    });

    app.get(path, listRoute, async ({ principal: { partnerId }, query }) => {
      const { rows, nextCursor } = await readPage(query, asEndpointId, (page) =>
        findEndpoints(ctx.db, { partnerId }, page),
      );
      return { webhook_endpoints: rows.map(toWebhookEndpointView), next_cursor: nextCursor };
    });

    app.get(`${path}/:endpoint_id`, getRoute, async ({ principal, params }) =>
      toWebhookEndpointView(await getEndpoint(ctx.db, principal.partnerId, params.endpoint_id)),
    );

    app.patch(`${path}/:endpoint_id`, changeRoute, async ({ principal, params, body, id: requestId }) => {
      const change = { ...body, id: params.endpoint_id };
      return toWebhookEndpointView(await changeEndpoint(ctx, { principal, requestId }, change));
    });

    app.delete(`${path}/:endpoint_id`, deleteRoute, async ({ principal, params, id: requestId }, reply) => {
      const id = await clearEndpoint(ctx, principal.partnerId, params.endpoint_id);
      return ctx.db.transaction(async (tx) => {
        await removeEndpoint(ctx, tx, { principal, requestId }, id);
        return completeOnce(tx, reply, 200, { endpoint_id: id, deleted: true as const });
      });
    });

    app.post(`${path}/:endpoint_id/rotate-secret`, { ...rotateRoute, onSend }, async (request, reply) => {
      const { principal, params, body, id: requestId } = request;
      const wanted = { id: params.endpoint_id, overlapHours: body.overlap_hours ?? 24 };
      return ctx.db.transaction(async (tx) => {
        const endpoint = await rotateSecret(ctx, tx, { principal, requestId }, wanted);
        await completeOnce(tx, reply, 200, toStoredWebhookEndpointView(endpoint));
        return toWebhookEndpointWithSecretView(endpoint);
      });
    });

    app.post(
      `${path}/:endpoint_id/test`,
      { ...testRoute, handlerTimeout: testWithinMs },
      async ({ principal, params, id: requestId }) => {
        const endpoint = await getEndpoint(ctx.db, principal.partnerId, params.endpoint_id);
        const object = toWebhookEndpointView(endpoint);
        return testEndpoint(ctx, { endpoint, object, requestId });
      },
    );

    app.get(`${path}/:endpoint_id/deliveries`, deliveriesRoute, async ({ principal, params, query }) => {
      const { partnerId } = principal;
      const { id: endpointId } = await getEndpoint(ctx.db, partnerId, params.endpoint_id);
      const { status, type, event_id: eventId } = query;
      const { rows, nextCursor } = await readPage(query, asDeliveryId, (page) => {
        const event = filterBy(eventId, (text) => readEventId(partnerId, text));
        return findDeliveries(ctx.db, { endpointId, status, type, sequence: event?.sequence }, page);
      });
      const deliveries = rows.map((row) => toWebhookDeliveryView(partnerId, row));
      return { deliveries, next_cursor: nextCursor };
    });

    app.get(`${path}/:endpoint_id/deliveries/:delivery_id`, deliveryRoute, async ({ principal, params }) => {
      const { partnerId } = principal;
      const wanted = { endpointId: params.endpoint_id, id: params.delivery_id };
      const { delivery, body } = await getDelivery(ctx, partnerId, wanted);
      return { ...toWebhookDeliveryView(partnerId, delivery), body };
    });

    app.post(`${path}/:endpoint_id/resend`, resendRoute, async (request, reply) => {
      const { principal, params, body, id: requestId } = request;
      const { event_id: eventId, event_ids: eventIds, from, to } = body;
      const wanted = { id: params.endpoint_id, eventId, eventIds, from, to };
      return ctx.db.transaction(async (tx) => {
        const resent = await resend(ctx, tx, { principal, requestId }, wanted);
        return completeOnce(tx, reply, 202, { resent });
      });
    });
  };
}
