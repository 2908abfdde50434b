import { invalidField } from '../errors.js';
import { isStorable } from './encoding.js';

/**
 * Throws `invalid_request`, naming the field below `path`, for a number that was rounded when the body was read: what is kept
 * would be another one.
 */
export function checkNumbers(json: Record<string, unknown>, path: string): void {
  for (const { value, at } of partsOf(json, path)) {
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      throw invalidField(at, `${at} is too large a number; beyond 2^53 - 1, send it as a string.`);
    }
  }
}

/**
 * Throws `invalid_request`, naming the field below `path`, if a free-form object could not be a column exactly as it came,
 * or has more than `maxBytes` as JSON.
 */
export function checkJson(json: Record<string, unknown>, path: string, maxBytes: number): void {
  checkNumbers(json, path);
  for (const { value, at } of partsOf(json, path)) {
    if (typeof value === 'string' && !isStorable(value)) {
      throw invalidField(at, `${at} contains characters that are not allowed.`);
    }
  }
  if (Buffer.byteLength(JSON.stringify(json)) > maxBytes) {
    throw invalidField(path, `${path} must not be larger than ${maxBytes} bytes.`);
  }
}

/** Every value, and the keys of objects as texts. Recursion is safe here: no body is nested deeper than 32 levels. */
function* partsOf(value: unknown, at: string): Generator<{ value: unknown; at: string }> {
  yield { value, at };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield { value: key, at };
    yield* partsOf(member, `${at}.${key}`);
  }
}
