import { randomBytes } from 'node:crypto';
import { hashSecret } from './session.js';
import { toBase32 } from './totp.js';

/** How many codes an operator has at once. */
const codesAtOnce = 10;

/** Returns new recovery codes: 80 random bits each, such as `ABCD-EFGH-2345-6723`. Shown once, never stored. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codesAtOnce }, () => toBase32(randomBytes(10)).replace(/.{4}(?=.)/g, '$&-'));
}

/**
 * Returns the SHA-256 of a code, which is all that is stored, however it was typed: with small letters, spaces or without
 * hyphens. A slow hash would add nothing to 80 random bits.
 */
export function hashRecoveryCode(code: string): Uint8Array {
  return hashSecret(code.toUpperCase().replace(/[\s-]/g, ''));
}
