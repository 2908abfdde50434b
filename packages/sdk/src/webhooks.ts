import { fromBase64 } from './bytes.js';
import { KaratError } from './errors.js';
import type { WebhookEvent } from './types.js';

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
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !given) throw invalid('A header of the webhook is missing.');
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds)
    throw invalid('The webhook is too old, or from the future.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await importSecret(secret);
  for (const one of given.split(' ')) {
    const [version, signature = ''] = one.split(',');
    if (version !== 'v1') continue;
    if (await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed)) return JSON.parse(text);
  }
  throw invalid('The signature of the webhook is wrong.');
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes.length === 0)
    throw invalid('The secret must be whsec_ and base64, as its endpoint was created with.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Returns no bytes for what is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(base64);
  } catch {
    return new Uint8Array();
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

const invalid = (message: string) => new KaratError('signature_invalid', { message });
