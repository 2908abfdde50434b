import type { Context } from '../../context.js';
import { findEvent } from '../../db/events/events.js';
import {
  type ClaimedDelivery,
  findGivenUpEndpoints,
  recordDelivery,
} from '../../db/webhooks/webhook-deliveries.js';
import {
  beginFailing,
  endFailing,
  lockEndpoint,
  type WebhookEndpoint,
} from '../../db/webhooks/webhook-endpoints.js';
import { newId } from '../../domain/ids.js';
import { disableAfterMs, nextAttemptAt } from '../../domain/webhook.js';
import { eventBody } from '../../partner-events.js';
import type { Resolve } from '../../webhooks/destination.js';
import { isDelivered, type Outcome, sendWebhook } from '../../webhooks/send.js';
import { disableEndpoint } from './manage-endpoints.js';

/** What became of an attempt: it succeeded, another follows, none follows, or it was broken off and does not count. */
export type DeliveryOutcome = 'delivered' | 'retrying' | 'failed' | 'abandoned';

export interface DeliverOptions {
  /** Breaks off the attempt. */
  signal?: AbortSignal;
  resolve?: Resolve | undefined;
}

/** Makes one attempt of a delivery that this process has claimed, and writes down what came of it. */
export async function deliver(
  ctx: Context,
  claimed: ClaimedDelivery,
  { signal, resolve }: DeliverOptions = {},
): Promise<DeliveryOutcome> {
  const event = await findEvent(ctx.db, claimed.partnerId, claimed.eventId);
  const at = new Date(ctx.clock.now());
  const { url, secrets, eventId: id } = claimed;
  const allowLocal = ctx.config.webhooksAllowLocal;
  const outcome: Outcome = event
    ? await sendWebhook({ url, secrets, id, body: eventBody(event) }, { allowLocal, signal, resolve })
    : { status_code: null, duration_ms: 0, error: 'The event is no longer kept.', response_body: null };
  if (signal?.aborted) return 'abandoned';
  return record(ctx, claimed, { outcome, at, isLast: event === undefined });
}

async function record(
  ctx: Context,
  { id, endpointId, tries }: ClaimedDelivery,
  { outcome, at, isLast }: { outcome: Outcome; at: Date; isLast: boolean },
): Promise<DeliveryOutcome> {
  const attempt = { at: at.toISOString(), ...outcome };
  const delivered = isDelivered(outcome);
  const nowMs = ctx.clock.now();
  const nextAt = delivered || isLast ? undefined : nextAttemptAt(tries + 1, nowMs);
  const status = delivered ? 'delivered' : nextAt ? 'pending' : 'failed';
  await ctx.db.transaction(async (tx) => {
    // The endpoint before its deliveries, as everywhere.
    if (delivered) await endFailing(tx, endpointId);
    const endpoint = delivered ? undefined : await lockEndpoint(tx, undefined, endpointId);
    const ends = !delivered && endpoint?.status !== 'active';
    await recordDelivery(tx, id, attempt, {
      status: ends ? 'failed' : status,
      nextAttemptAt: ends ? null : (nextAt ?? null),
      tries: tries + 1,
    });
    if (endpoint?.status !== 'active') return;
    await beginFailing(tx, endpointId, at);
    const since = endpoint.failingSince ?? at;
    if (outcome.status_code === 410 || nowMs - since.getTime() >= disableAfterMs) {
      await disableEndpoint(tx, endpoint, { at: new Date(nowMs), requestId: null });
    }
  });
  return delivered ? 'delivered' : nextAt ? 'retrying' : 'failed';
}

/** Disables endpoints that have failed for 5 days and to which nothing is sent any more. */
export async function disableGivenUpEndpoints(ctx: Context): Promise<void> {
  const nowMs = ctx.clock.now();
  for (const { id } of await findGivenUpEndpoints(ctx.db, new Date(nowMs - disableAfterMs))) {
    await ctx.db.transaction(async (tx) => {
      const endpoint = await lockEndpoint(tx, undefined, id);
      const since = endpoint?.failingSince?.getTime() ?? nowMs;
      if (endpoint?.status !== 'active' || nowMs - since < disableAfterMs) return;
      await disableEndpoint(tx, endpoint, { at: new Date(nowMs), requestId: null });
    });
  }
}

export interface EndpointTest {
  endpoint: WebhookEndpoint;
  /** What GET of the endpoint answers. */
  object: Record<string, unknown>;
  requestId: string;
}

/** Sends an endpoint the event `webhook.test`, which is not in the log. It may be disabled. */
export async function testEndpoint(ctx: Context, { endpoint, object, requestId }: EndpointTest) {
  const id = newId('evt');
  const nowMs = ctx.clock.now();
  const body = JSON.stringify({
    id,
    sequence: 0,
    type: 'webhook.test',
    created_at: new Date(nowMs).toISOString(),
    request_id: requestId,
    data: { object_type: 'webhook_endpoint', object },
  });
  const { url, secret, previousSecret, previousUntil } = endpoint;
  const overlaps = previousSecret !== null && (previousUntil?.getTime() ?? 0) > nowMs;
  const secrets = overlaps ? [secret, previousSecret] : [secret];
  const outcome = await sendWebhook(
    { url, secrets, id, body },
    { allowLocal: ctx.config.webhooksAllowLocal },
  );
  return { ...outcome, delivered: isDelivered(outcome) };
}
