import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Uuid } from './ids.js';

/** Time-based one-time passwords (RFC 6238), as every authenticator app makes them: SHA-1, 6 digits, 30 seconds. */
const stepSeconds = 30;
const digits = 6;
/** Steps by which the clock of a phone may be off, in each direction. */
const driftSteps = 1n;

/** The key of an authenticator app, as it is stored: nothing of it can be read without the secret of the service. */
export interface TotpKey {
  personId: Uuid;
  /** 16 random bytes: another key for each enrolment. */
  nonce: Uint8Array;
}

export const newTotpNonce = () => new Uint8Array(randomBytes(16));

/** Draws the 20 bytes of a key, which are stored nowhere, from the secret of the service and the nonce. */
export function totpKeyOf(secret: string, { personId, nonce }: TotpKey): Buffer {
  const about = `karat totp key\n${personId}\n${Buffer.from(nonce).toString('hex')}`;
  return createHmac('sha256', secret).update(about).digest().subarray(0, 20);
}

export function totpCode(key: Uint8Array, step: bigint): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(step);
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export const totpStepAt = (nowMs: number): bigint => BigInt(Math.floor(nowMs / 1_000 / stepSeconds));

/**
 * Returns the step of a code that is right at `nowMs`, give or take one step; undefined for a wrong code, and for one of
 * `lastStep` or before, so that no step is used twice.
 */
export function matchTotp(
  key: Uint8Array,
  code: string,
  { nowMs, lastStep }: { nowMs: number; lastStep: bigint },
): bigint | undefined {
  const now = totpStepAt(nowMs);
  for (let step = now - driftSteps; step <= now + driftSteps; step += 1n) {
    if (step > lastStep && isSameText(totpCode(key, step), code)) return step;
  }
  return undefined;
}

function isSameText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns bytes in base32 without padding, as people type a key into an app. Takes multiples of 5 bytes. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)] ?? '');
}

/** Returns the address that an authenticator app reads from a QR code. */
export function totpUri(key: Uint8Array, email: string): string {
  const query = new URLSearchParams({ secret: toBase32(key), issuer: 'Karat' });
  return `otpauth://totp/Karat:${encodeURIComponent(email)}?${query}`;
}
