import { AppError } from '../errors.js';
import type { Uuid } from './ids.js';
import type { Principal } from './principal.js';

/** Throws 403 `partner_mismatch` unless the record belongs to the caller's partner. */
export function requireOwn(principal: Principal, record: { partnerId: Uuid }, what: string): void {
  if (record.partnerId !== principal.partnerId) {
    throw new AppError('partner_mismatch', `This ${what} belongs to another partner.`);
  }
}
