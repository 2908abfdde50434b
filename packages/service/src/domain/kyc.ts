import { invalidField } from '../errors.js';
import { parseTimestamp, timestampFault } from './timestamp.js';

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

/** Returns whether a text has the form of an ISO-3166-1 alpha-2 code. */
export function isCountryCode(text: string): boolean {
  return /^[A-Z]{2}$/.test(text);
}

/**
 * Returns the moment of `kyc.kyc_verified_at`. Throws `invalid_request` when it is no timestamp or lies in the future.
 */
export function parseVerifiedAt(text: string, nowMs: number): Date {
  const field = 'kyc.kyc_verified_at';
  const moment = parseTimestamp(text);
  if (!moment) {
    throw invalidField(
      field,
      `${field} must be an ISO-8601 timestamp with an offset, such as 2025-03-01T12:00:00Z: ${timestampFault(text)}.`,
    );
  }
  if (moment.getTime() > nowMs + futureGraceMs)
    throw invalidField(
      field,
      `${field} must not be in the future: it is ${moment.toISOString()}, and now is ${new Date(nowMs).toISOString()}.`,
    );
  return moment;
}

/** The identity document in a KYC record, as far as the partner named one. */
export interface IdDocument {
  idType: string | null;
  idNumber: string | null;
}

/** Returns the identity document that KYC data names, in the fields that are checked at registration. */
export function idDocumentOf(kycData: Record<string, unknown> | null): IdDocument {
  return { idType: asText(kycData?.id_type), idNumber: asText(kycData?.id_number) };
}

function asText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : null;
}

/** Returns a number with all but its last four characters hidden, and hidden whole where those would be half of it. */
export function maskedNumber(idNumber: string): string {
  const letters = [...idNumber];
  return `****${letters.length < 8 ? '' : letters.slice(-4).join('')}`;
}
