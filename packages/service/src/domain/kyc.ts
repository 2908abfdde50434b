import { invalidField } from '../errors.js';
import { isStorable } from './encoding.js';
import { parseTimestamp } from './timestamp.js';

/** What a partner attests about a user, checked and ready to be stored. */
export interface Kyc {
  country: string;
  fullName: string;
  kycProvider: string;
  kycLevel: string;
  kycVerifiedAt: Date;
  kycData: Record<string, unknown> | null;
}

/** A partner's clock may be this far ahead of ours. */
const futureGraceMs = 5 * 60_000;
const maxKycDataBytes = 32 * 1024;

/** Whether a text has the form of an ISO-3166-1 alpha-2 code. */
export function isCountryCode(text: string): boolean {
  return /^[A-Z]{2}$/.test(text);
}

/** The moment of `kyc.kyc_verified_at`. Throws `invalid_request` when it is no timestamp or lies in the future. */
export function parseVerifiedAt(text: string, nowMs: number): Date {
  const field = 'kyc.kyc_verified_at';
  const moment = parseTimestamp(text);
  if (!moment) {
    throw invalidField(
      field,
      `${field} must be an ISO-8601 timestamp with an offset, such as 2025-03-01T12:00:00Z.`,
    );
  }
  if (moment.getTime() > nowMs + futureGraceMs)
    throw invalidField(field, `${field} must not be in the future.`);
  return moment;
}

/** Throws `invalid_request`, naming the member, when `kyc.kyc_data` could not be stored exactly as it came. */
export function checkKycData(data: Record<string, unknown>): void {
  const root = 'kyc.kyc_data';
  checkStorable(data, root);
  if (Buffer.byteLength(JSON.stringify(data)) > maxKycDataBytes) {
    throw invalidField(root, `${root} must not be larger than ${maxKycDataBytes} bytes.`);
  }
}

/** Recursion is safe here: no body is nested deeper than 32 levels. */
function checkStorable(value: unknown, path: string): void {
  if (typeof value === 'string' && !isStorable(value)) {
    throw invalidField(path, `${path} holds characters that are not allowed.`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalidField(path, `${path} is too large a number.`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) throw invalidField(path, `${path} has a key with characters that are not allowed.`);
    checkStorable(member, `${path}.${key}`);
  }
}
