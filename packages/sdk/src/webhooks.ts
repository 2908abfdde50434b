import { fromBase64, toBase64 } from './bytes.js';
import { KaratError } from './errors.js';

/** An event as the log has it and as webhooks bring it. */
export interface KaratEvent {
  id: string;
  sequence: number;
  type: string;
  created_at: string;
  request_id: string | null;
  data: { object_type: string; object: Record<string, unknown> };
}

type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How far the clock of a webhook may differ from this one. */
const toleranceSeconds = 300;

/**
 * Returns the event of a webhook whose signature by `secret` (`whsec_…`) is right (Standard Webhooks 1.0). `body` is what
 * was received, unchanged. Throws a `KaratError` `signature_invalid` for anything else, also for one that is more than 5
 * minutes old.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Promise<KaratEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !given) throw invalid('A header of the webhook is missing.');
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds)
    throw invalid('The webhook is too old, or from the future.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const encoded = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await crypto.subtle.importKey(
    'raw',
    fromBase64(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const expected = `v1,${toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoded)))}`;
  if (!given.split(' ').some((one) => areEqual(one, expected)))
    throw invalid('The signature of the webhook is wrong.');
  return JSON.parse(text);
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

/** Compares in a time that does not depend on where they differ. */
function areEqual(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}

const invalid = (message: string) => new KaratError('signature_invalid', { message });
