import { createHash } from 'node:crypto';

/** SHA-256 over the JSON of a value with the members of every object in order: equal for equal requests. */
export function requestHash(value: unknown): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify(value, inOrder) ?? '')
    .digest();
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
