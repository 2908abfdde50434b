import type { Context } from '../../context.js';
import type { Event, StoredEvent } from '../../db/events/events.js';
import {
  type ClaimedDelivery,
  failPendingDeliveries,
  findLongFailingEndpoints,
  recordDelivered,
  recordDelivery,
} from '../../db/webhooks/webhook-deliveries.js';
import {
  beginFailing,
  endFailing,
  lockEndpoint,
  type WebhookEndpoint,
} from '../../db/webhooks/webhook-endpoints.js';
import { newId } from '../../domain/ids.js';
import { type Attempt, disableAfterMs, nextAttemptAt } from '../../domain/webhook.js';
import { eventBody, unkeptOf, withObjects } from '../partner-events.js';
import { disableEndpoint } from './disable-endpoint.js';
import { isDelivered, type Outcome, type SendOptions, sendWebhook } from './send.js';

/** Its signal breaks off the attempt. */
export type AttemptOptions = Omit<SendOptions, 'allowLocal'>;

/** An attempt of a delivery, which is not written down yet. */
export interface Attempted {
  delivery: ClaimedDelivery;
  attempt: Attempt;
  delivered: boolean;
  /** No other attempt would help: the event is no longer kept. */
  isLast: boolean;
}

/** Makes one attempt of a delivery that this process has claimed. Returns undefined when it was broken off. */
export async function attemptDelivery(
  ctx: Context,
  delivery: ClaimedDelivery,
  event: StoredEvent | undefined,
  options: AttemptOptions = {},
): Promise<Attempted | undefined> {
  const at = new Date(ctx.clock.now()).toISOString();
  const { url, secrets, eventId: id } = delivery;
  const allowLocal = ctx.config.webhooksAllowLocal;
  const [shown] = event ? await withObjects(ctx, [event]) : [];
  const outcome: Outcome = shown
    ? withoutEcho(
        await sendWebhook({ url, secrets, id, body: eventBody(shown) }, { ...options, allowLocal }),
        shown,
      )
    : { status_code: null, duration_ms: 0, error: 'The event is no longer kept.', response_body: null };
  if (options.signal?.aborted) return undefined;
  return { delivery, attempt: { at, ...outcome }, delivered: isDelivered(outcome), isLast: !event };
}

/** A receiver may send back what it was sent, in any form, and attempts are stored readable and outlive an erasure. */
function withoutEcho(outcome: Outcome, event: Event): Outcome {
  const unkept = unkeptOf(event);
  if (outcome.response_body === null || unkept === undefined) return outcome;
  return { ...outcome, response_body: `Not kept: the event has ${unkept}.` };
}

/** Writes down attempts that succeeded, all at once. */
export async function recordSuccesses({ db }: Context, attempted: readonly Attempted[]): Promise<void> {
  await db.transaction(async (tx) => {
    // Endpoints before their deliveries, as everywhere.
    await endFailing(
      tx,
      attempted.map(({ delivery }) => delivery.endpointId),
    );
    await recordDelivered(
      tx,
      attempted.map(({ delivery, attempt }) => ({ id: delivery.id, attempt })),
    );
  });
}

/** Writes down an attempt that failed. Returns whether another one follows. */
export async function recordFailure(
  ctx: Context,
  { delivery: { id, endpointId, tries }, attempt, isLast }: Attempted,
): Promise<boolean> {
  const nowMs = ctx.clock.now();
  const nextAt = isLast ? undefined : nextAttemptAt(tries + 1, nowMs);
  return ctx.db.transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, endpointId);
    const active = endpoint?.status === 'active' ? endpoint : undefined;
    const since = active?.failingSince ?? new Date(attempt.at);
    const disables = attempt.status_code === 410 || nowMs - since.getTime() >= disableAfterMs;
    const follows = active && !disables ? nextAt : undefined;
    await recordDelivery(tx, id, attempt, {
      status: follows ? 'pending' : 'failed',
      nextAttemptAt: follows ?? null,
      tries: tries + 1,
    });
    if (!active) return false;
    await beginFailing(tx, endpointId, since);
    if (disables) await disableEndpoint(tx, active, { at: new Date(nowMs), requestId: null });
    return follows !== undefined;
  });
}

/** Disables endpoints that have failed for 5 days, and ends what was still to be sent to disabled ones. */
export async function endDeliveries(ctx: Context): Promise<void> {
  const nowMs = ctx.clock.now();
  for (const { id } of await findLongFailingEndpoints(ctx.db, new Date(nowMs - disableAfterMs))) {
    await ctx.db.transaction(async (tx) => {
      const endpoint = await lockEndpoint(tx, id);
      const since = endpoint?.failingSince?.getTime() ?? nowMs;
      if (endpoint?.status !== 'active' || nowMs - since < disableAfterMs) return;
      await disableEndpoint(tx, endpoint, { at: new Date(nowMs), requestId: null });
    });
  }
  while (await ctx.db.transaction((tx) => failPendingDeliveries(tx)));
}

export interface EndpointTest {
  endpoint: WebhookEndpoint;
  /** What GET of the endpoint returns. */
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
  return { ...outcome, delivered: isDelivered(outcome), body };
}
