import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { disableAnyEndpoint, getEndpoint } from '../../actions/webhooks/manage-endpoints.js';
import type { Context } from '../../context.js';
import {
  findDeliveries,
  type WebhookDelivery,
  webhookDeliveryStatus,
} from '../../db/webhooks/webhook-deliveries.js';
import {
  findEndpoints,
  type WebhookEndpoint,
  webhookEndpointStatus,
} from '../../db/webhooks/webhook-endpoints.js';
import { asDeliveryId, asEndpointId, asUuid, type Uuid } from '../../domain/ids.js';
import { choice, closed, titled } from '../../views/schemas.js';
import {
  endpointField,
  toWebhookDeliveryView,
  toWebhookEndpointView,
  WebhookDeliveryView,
  WebhookEndpointView,
} from '../../views/webhook-view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { cursorBehind, filterBy } from '../server/lists.js';
import { route } from '../server/route.js';
import { field } from './fields.js';
import { countedPageOf, endOf, listQuery, readList } from './lists.js';
import { actOnce } from './operations.js';
import { administer, Reason, read } from './shapes.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const params = Type.Object({ endpoint_id: Type.String(endpointField.id) });

const EndpointView = titled('PartnerWebhookEndpoint', {
  partner_id: Type.String(field.partnerId),
  ...WebhookEndpointView.properties,
});

const { response_body: _shownToThePartner, ...attempt } =
  WebhookDeliveryView.properties.attempts.items.properties;
const DeliveryView = titled('PartnerWebhookDelivery', {
  ...WebhookDeliveryView.properties,
  attempts: Type.Array(Type.Object(attempt), { description: 'The attempts, oldest first.' }),
});

const listRoute = route(read, {
  operationId: 'listPartnerWebhookEndpoints',
  summary: 'List the webhook endpoints of partners',
  description:
    'Lists where partners have their events sent, newest first. The secrets are never shown; partners register and change their endpoints themselves.',
  querystring: listQuery(
    {
      partner_id: Type.String({ ...field.partnerId, description: 'Only endpoints of this partner.' }),
      status: choice(webhookEndpointStatus.enumValues, {
        ...endpointField.status,
        description: 'Only endpoints with this status.',
      }),
    },
    cursorBehind(`we_${uuid}`),
  ),
  response: { 200: countedPageOf('webhook_endpoints', EndpointView) },
});

const getRoute = route(read, {
  operationId: 'getPartnerWebhookEndpoint',
  summary: 'Get a webhook endpoint',
  description: "Returns a partner's webhook endpoint.",
  errors: codes('endpoint_not_found'),
  params,
  response: { 200: EndpointView },
});

const deliveriesRoute = route(read, {
  operationId: 'listPartnerWebhookDeliveries',
  summary: 'List the deliveries of a webhook endpoint',
  description:
    'Lists what was and will be sent to the endpoint, newest first, with every attempt. Neither the events, which may hold KYC data, nor the bodies of the responses are shown: the partner sees those.',
  errors: codes('endpoint_not_found'),
  params,
  querystring: listQuery(
    {
      status: choice(webhookDeliveryStatus.enumValues, {
        description: 'Only deliveries with this status.',
        examples: ['failed'],
      }),
    },
    cursorBehind(`dlv_${uuid}`),
  ),
  response: { 200: countedPageOf('deliveries', DeliveryView) },
});

const disableRoute = route(administer, {
  operationId: 'disablePartnerWebhookEndpoint',
  summary: 'Disable a webhook endpoint',
  description:
    'Takes effect immediately: deliveries that are still pending fail, nothing more is sent, and the partner gets the event `webhook_endpoint.disabled`. The partner can make the endpoint active again and have the events sent once more.',
  errors: codes('endpoint_not_found', 'transition_not_allowed'),
  params,
  body: closed({ reason: Reason }),
  response: { 200: EndpointView },
});

/** Where partners have their events sent: look and disable. */
export function webhookEndpointRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Webhooks');

    app.get('/webhook-endpoints', listRoute, async ({ query }) => {
      const { rows, ...end } = await readList(query, asEndpointId, (page) =>
        findEndpoints(ctx.db, { partnerId: filterBy(query.partner_id, asUuid), status: query.status }, page),
      );
      return { webhook_endpoints: rows.map(toEndpointView), ...endOf(end) };
    });

    app.get('/webhook-endpoints/:endpoint_id', getRoute, async ({ params }) =>
      toEndpointView(await getEndpoint(ctx.db, undefined, params.endpoint_id)),
    );

    app.get('/webhook-endpoints/:endpoint_id/deliveries', deliveriesRoute, async ({ params, query }) => {
      const { id: endpointId, partnerId } = await getEndpoint(ctx.db, undefined, params.endpoint_id);
      const { rows, ...end } = await readList(query, asDeliveryId, (page) =>
        findDeliveries(ctx.db, { endpointId, status: query.status }, page),
      );
      const deliveries = rows.map((row) => toDeliveryView(partnerId, row));
      return { deliveries, ...endOf(end) };
    });

    app.post('/webhook-endpoints/:endpoint_id/disable', disableRoute, async (request, reply) => {
      const input = { id: request.params.endpoint_id, reason: request.body.reason };
      return actOnce(ctx, reply, disableAnyEndpoint, input, toEndpointView);
    });
  };
}

const toEndpointView = (endpoint: WebhookEndpoint) => ({
  partner_id: endpoint.partnerId,
  ...toWebhookEndpointView(endpoint),
});

function toDeliveryView(partnerId: Uuid, delivery: WebhookDelivery) {
  const view = toWebhookDeliveryView(partnerId, delivery);
  return { ...view, attempts: view.attempts.map(({ response_body: _, ...attempt }) => attempt) };
}
