import { hash, randomBytes } from 'node:crypto';

/** Days after which a key of the tradebook API may end at the latest, if it is to end by itself. */
export const maxKeyDays = 365;

/**
 * Returns a new key of a surface: `service_partner_` or `service_tradebook_` and 256 random bits in hex. Shown once,
 * never stored.
 */
export function newApiKey(surface: 'partner' | 'tradebook'): string {
  return `service_${surface}_${randomBytes(32).toString('hex')}`;
}

/**
 * Returns SHA-256 of a key: all that is ever stored. Keys carry 256 random bits, so that no slow hash is needed, and
 * they are looked up by hash, so that no comparison can leak by its time.
 */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
