import { invalidField } from '../errors.js';
import { isStorable } from './encoding.js';

/**
 * Throws `invalid_request`, naming the field below `path`, if a free-form object could not be stored exactly as it
 * came, or has more than `maxBytes` as JSON. No body is nested deeper than 32 levels.
 */
export function checkJson(value: Record<string, unknown>, path: string, maxBytes: number): void {
  checkStorable(value, path);
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) {
    throw invalidField(path, `${path} must not be larger than ${maxBytes} bytes.`);
  }
}

/** Recursion is safe here: no body is nested deeper than 32 levels. */
function checkStorable(value: unknown, path: string): void {
  if (typeof value === 'string' && !isStorable(value)) {
    throw invalidField(path, `${path} contains characters that are not allowed.`);
  }
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    // It was rounded when the body was read: what is stored would be another number.
    throw invalidField(path, `${path} is too large a number; beyond 2^53 - 1, send it as a string.`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) throw invalidField(path, `${path} has a key with characters that are not allowed.`);
    checkStorable(member, `${path}.${key}`);
  }
}
