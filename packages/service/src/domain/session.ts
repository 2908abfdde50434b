import { randomBytes } from 'node:crypto';

/** How long a session of an operator or a member lives, whatever is done with it. */
export const sessionLifetimeMs = 12 * 60 * 60_000;
/** How long it lives without a request. */
export const sessionIdleMs = 30 * 60_000;

/** The times by which a session is open: it expires after `now`, and was used after `usedAfter`. */
export interface SessionTimes {
  now: Date;
  usedAfter: Date;
}

/** Returns the times by which a session is open at a time in milliseconds: it has not expired, and was used lately. */
export function sessionTimesAt(nowMs: number): SessionTimes {
  return { now: new Date(nowMs), usedAfter: new Date(nowMs - sessionIdleMs) };
}

/** Returns the value of a new session's cookie: 256 random bits in hex. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('hex');
}

/** SHA-256 of a token or session secret: all that is ever stored, as of API keys. */
export { hashApiKey as hashSecret } from './api-key.js';
