import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** Returns SHA-256 over the canonical JSON of a value: equal for equal requests. */
export function requestHash(value: unknown): Uint8Array {
  return createHash('sha256').update(canonicalJson(value)).digest();
}

/** Fields of requests that few values are likely for, so that a plain hash of one shows which it is. */
export const guessableFields = ['pickup_code', 'kyc'] as const;

/** Returns what stands for such a field where requests are compared: it says nothing of the value without the secret. */
export function fingerprintOf(
  secret: string,
  field: (typeof guessableFields)[number],
  value: unknown,
): string {
  return createHmac('sha256', secret)
    .update(`karat request ${field}\n${canonicalJson(value)}`)
    .digest('hex');
}
