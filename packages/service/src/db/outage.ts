import { inTime } from '../runtime/time.js';
import { ConnectionError } from './postgres-error.js';

const networkCodes = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECTION_SILENT',
  'POOL_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * SQLSTATEs that say "not now": 08 connection, 53 resources, 57P admin shutdown or starting up, 57014 statement
 * timeout, 55P03 lock timeout, 25006 read-only after a failover, 3D000 no such database.
 */
const transientState = /^(08...|53...|57P..|57014|55P03|25006|3D000)$/;

export function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth += 1) {
    if ('code' in e && typeof e.code === 'string') codes.push(e.code);
  }
  return codes;
}

/** Returns whether an error, or what caused it, means that the database cannot be used at the moment. */
export function isDatabaseOutage(error: unknown): boolean {
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth += 1) {
    if (e instanceof ConnectionError) return true;
    const code = 'code' in e ? e.code : undefined;
    if (typeof code !== 'string') continue;
    const isFile = 'syscall' in e && e.syscall === 'open';
    if (e.name === 'PostgresError' ? transientState.test(code) : networkCodes.has(code) && !isFile) {
      return true;
    }
  }
  return false;
}

/** As long as the server itself lets a statement take. */
const usualHungAfterMs = 4_000;

/**
 * Returns what the database does, or throws an outage when that takes more than `hungAfterMs` (4 s by default) in all. For requests that may wait for
 * longer than that on something else: a queue, a connection and a query have a time limit each.
 */
export function unlessHung<T>(work: Promise<T>, hungAfterMs = usualHungAfterMs): Promise<T> {
  return inTime(work, hungAfterMs, () =>
    Object.assign(new Error('the database does not respond'), { code: 'ETIMEDOUT' }),
  );
}
