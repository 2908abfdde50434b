import type { Tx } from '../../db/client.js';
import { appendEvents } from '../../db/events/events.js';
import { updateEndpoint, type WebhookEndpoint } from '../../db/webhooks/webhook-endpoints.js';
import { endpointDisabledEvent } from '../partner-events.js';

/**
 * Ends what is sent to an endpoint that is locked, with an event for its partner. The last statement of its transaction. What is still
 * pending is not sent any more, and the deliverer ends it within seconds: it may be much.
 */
export async function disableEndpoint(
  tx: Tx,
  endpoint: WebhookEndpoint,
  { at, requestId }: { at: Date; requestId: string | null },
): Promise<WebhookEndpoint> {
  const disabled: WebhookEndpoint = { ...endpoint, status: 'disabled', updatedAt: at };
  await updateEndpoint(tx, endpoint.id, disabled);
  await appendEvents(tx, [endpointDisabledEvent(disabled, requestId)], at);
  return disabled;
}
