import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** Returns SHA-256 over the canonical JSON of a value: equal for equal requests. */
export function requestHash(value: unknown): Uint8Array {
  return createHash('sha256').update(canonicalJson(value)).digest();
}
