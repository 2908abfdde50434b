import { AppError } from '../errors.js';
import type { Uuid } from './ids.js';

/** Throws 403 `partner_mismatch` unless the record belongs to the caller's partner. */
export function requireOwn(
  caller: { partnerId: Uuid | null },
  record: { partnerId: Uuid },
  what: string,
): void {
  if (record.partnerId !== caller.partnerId) throw otherPartners(what);
}

/** Returns the error for what belongs to another partner. */
export function otherPartners(what: string): AppError {
  return new AppError('partner_mismatch', `This ${what} belongs to another partner.`);
}
