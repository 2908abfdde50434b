import { type CallOptions, init, listOf, Resource, taken } from './client.js';
import type { KaratEvent, QueryOf, Schemas } from './types.js';

/** What a request says of an endpoint, with the types of events by name. */
type Terms<Body> = Omit<Body, 'types'> & { types?: KaratEvent['type'][] | null };

export class WebhookEndpoints extends Resource {
  /** Registers an endpoint; its `secret` is shown only here. */
  create(body: Terms<Schemas['CreateWebhookEndpointRequest']>, options?: CallOptions) {
    return taken(this.api.POST('/v1/webhook-endpoints', { body, ...init(options) }));
  }

  list(query: QueryOf<'listWebhookEndpoints'> = {}, options?: CallOptions) {
    return listOf(
      (cursor) => {
        const params = { query: { ...query, ...cursor } as never };
        return taken(this.api.GET('/v1/webhook-endpoints', { params, ...init(options) }));
      },
      (page) => page.webhook_endpoints,
    );
  }

  get(endpoint_id: string, options?: CallOptions) {
    return taken(
      this.api.GET('/v1/webhook-endpoints/{endpoint_id}', {
        params: { path: { endpoint_id } },
        ...init(options),
      }),
    );
  }

  /** Changes what the body names; an endpoint is disabled and made active again by `status`. */
  update(endpoint_id: string, body: Terms<Schemas['ChangeWebhookEndpointRequest']>, options?: CallOptions) {
    const params = { path: { endpoint_id } };
    return taken(this.api.PATCH('/v1/webhook-endpoints/{endpoint_id}', { params, body, ...init(options) }));
  }

  async delete(endpoint_id: string, options?: CallOptions): Promise<void> {
    const params = { path: { endpoint_id } };
    await taken(this.api.DELETE('/v1/webhook-endpoints/{endpoint_id}', { params, ...init(options) }));
  }

  /** Returns the endpoint with a new `secret`; the one before signs, too, until `overlap_hours` are over. */
  rotateSecret(endpoint_id: string, body: Schemas['RotateWebhookSecretRequest'] = {}, options?: CallOptions) {
    const params = { path: { endpoint_id } };
    return taken(
      this.api.POST('/v1/webhook-endpoints/{endpoint_id}/rotate-secret', { params, body, ...init(options) }),
    );
  }

  /** Sends `webhook.test` now and returns what came back. */
  test(endpoint_id: string, options?: CallOptions) {
    const params = { path: { endpoint_id } };
    return taken(this.api.POST('/v1/webhook-endpoints/{endpoint_id}/test', { params, ...init(options) }));
  }

  /** Lists what was and will be sent, newest first, with every attempt. */
  deliveries(endpoint_id: string, query: QueryOf<'listWebhookDeliveries'> = {}, options?: CallOptions) {
    return listOf(
      (cursor) => {
        const params = { path: { endpoint_id }, query: { ...query, ...cursor } as never };
        return taken(
          this.api.GET('/v1/webhook-endpoints/{endpoint_id}/deliveries', { params, ...init(options) }),
        );
      },
      (page) => page.deliveries,
    );
  }

  /** Sends an event again, or several, or all of a time; returns how many. */
  resend(
    endpoint_id: string,
    body: { event_id: string } | { event_ids: string[] } | { from: string; to: string },
    options?: CallOptions,
  ) {
    const params = { path: { endpoint_id } };
    return taken(
      this.api.POST('/v1/webhook-endpoints/{endpoint_id}/resend', { params, body, ...init(options) }),
    );
  }
}
