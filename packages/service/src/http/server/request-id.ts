import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Returns the caller's `x-request-id` when it is 1 to 128 printable ASCII characters, else `made`, by default a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>, made?: string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\x20-\x7e]{1,128}$/.test(given) ? given : (made ?? randomUUID());
}
