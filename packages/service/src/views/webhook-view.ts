import { Type } from '@fastify/type-provider-typebox';
import type { WebhookDelivery } from '../db/webhooks/webhook-deliveries.js';
import { type WebhookEndpoint, webhookEndpointStatus } from '../db/webhooks/webhook-endpoints.js';
import { eventIdOf, eventTypes } from '../domain/event.js';
import type { Uuid } from '../domain/ids.js';
import { secretDigest } from '../domain/webhook.js';
import { exampleEventId } from './event-view.js';
import { about } from './fields.js';
import { choice, Nullable, titled } from './schemas.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const at = '2026-03-01T12:00:00.000Z';

/** What a webhook endpoint's fields mean. */
export const endpointField = {
  id: about('Id of the endpoint, prefixed `we_`.', `we_${uuid}`),
  url: about(
    'Where the events go: an `https` address of the internet. Its port is 443 or above 1023. A sandbox also takes `http` to its own machine.',
    'http://127.0.0.1:3000/karat/events',
  ),
  types: about('The types of events that it gets; null for all of them.', [
    'trade.confirmed',
    'trade.failed',
  ]),
  description: about('Your own note.', 'books trades'),
  status: about('`active` or `disabled`; a disabled one is sent nothing.', 'active'),
  failingSince: about('Since when every attempt has failed; null while the endpoint works.', null),
  previousSecretUntil: about(
    'Until when the secret before the last rotation signs, too; null if it does not.',
    null,
  ),
  secret: about(
    'Signs the webhooks. It is shown only once: verify `webhook-signature` with it.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ),
} as const;

const properties = {
  endpoint_id: Type.String(endpointField.id),
  url: Type.String(endpointField.url),
  types: Nullable(Type.Array(choice(eventTypes)), endpointField.types),
  description: Nullable(Type.String(), endpointField.description),
  status: choice(webhookEndpointStatus.enumValues, endpointField.status),
  failing_since: Nullable(Type.String(), endpointField.failingSince),
  previous_secret_until: Nullable(Type.String(), endpointField.previousSecretUntil),
  created_at: Type.String(about('UTC, with milliseconds.', at)),
  updated_at: Type.String(about('UTC, with milliseconds.', at)),
};

export const WebhookEndpointView = titled('WebhookEndpoint', properties);
export const WebhookEndpointWithSecretView = titled('WebhookEndpointWithSecret', {
  ...properties,
  secret: Type.String(endpointField.secret),
});

export function toWebhookEndpointView(endpoint: WebhookEndpoint) {
  const { id, url, types, description, status, failingSince, previousUntil, createdAt, updatedAt } = endpoint;
  return {
    endpoint_id: id,
    url,
    types,
    description,
    status,
    failing_since: failingSince?.toISOString() ?? null,
    previous_secret_until: previousUntil?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export const toWebhookEndpointWithSecretView = (endpoint: WebhookEndpoint) => ({
  ...toWebhookEndpointView(endpoint),
  secret: endpoint.secret,
});

/** Returns a new endpoint as it is stored to be repeated: with the digest of its secret. */
export const toStoredWebhookEndpointView = (endpoint: WebhookEndpoint) => ({
  ...toWebhookEndpointView(endpoint),
  secret: secretDigest(endpoint.secret),
});

/** What the fields of an attempt mean that a test has, too. */
export const responseBodyField = about('The first 1 KiB of the response; null without one.', 'ok');

const deliveryProperties = {
  delivery_id: Type.String(about('Id of the delivery, prefixed `dlv_`.', `dlv_${uuid}`)),
  event_id: Type.String(about('Id of the event, and the `webhook-id` of each attempt.', exampleEventId)),
  type: choice(eventTypes, about('Type of the event.', 'trade.confirmed')),
  status: choice(
    ['pending', 'delivered', 'failed'],
    about('`pending` while attempts follow, then `delivered` or `failed`.', 'delivered'),
  ),
  attempts: Type.Array(
    Type.Object({
      at: Type.String(about('When it was made.', at)),
      status_code: Nullable(Type.Integer(), about('Status of the response; null without one.', 200)),
      duration_ms: Type.Integer(about('How long it took.', 84)),
      error: Nullable(Type.String(), about('Why it failed; null after a success.', null)),
      response_body: Nullable(Type.String(), responseBodyField),
    }),
    { description: 'The attempts, oldest first.' },
  ),
  next_attempt_at: Nullable(Type.String(), about('When the next attempt is due; null if none is.', null)),
  created_at: Type.String(about('When it was planned.', at)),
};

export const WebhookDeliveryView = titled('WebhookDelivery', deliveryProperties);
export const WebhookDeliveryWithBodyView = titled('WebhookDeliveryWithBody', {
  ...deliveryProperties,
  body: Nullable(
    Type.String(),
    about(
      'The body that each attempt sends, JSON text; `[redacted]` stands for a `kyc` in it. Null when the event is no longer kept.',
      '{"id":"evt_42","type":"trade.confirmed"}',
    ),
  ),
});

/** Returns a delivery to an endpoint of a partner as it is shown. */
export function toWebhookDeliveryView(partnerId: Uuid, delivery: WebhookDelivery) {
  const { id, sequence, eventCreatedAt: createdAt, type, status, attempts, nextAttemptAt } = delivery;
  return {
    delivery_id: id,
    event_id: eventIdOf(partnerId, { sequence, createdAt }),
    type,
    status,
    attempts,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
  };
}
