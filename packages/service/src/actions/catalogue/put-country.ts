import { type Country, insertCountry, lockCountry, updateCountry } from '../../db/catalogue/countries.js';
import type { AuditAction } from '../../domain/audit.js';
import { isCountryCode } from '../../domain/kyc.js';
import { invalidField } from '../../errors.js';
import { isSame, recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';

/**
 * Makes a country, or changes what it is called and whether its residents may be registered. What is as wanted already is
 * no change and leaves no trace. Throws `invalid_request` for a code, in any case, that is not of two letters.
 */
export async function putCountry({ tx, by, at }: ChangeTx, input: Country): Promise<Country> {
  const country = { ...input, code: input.code.toUpperCase() };
  if (!isCountryCode(country.code)) throw invalidField('code', 'code must be an ISO 3166-1 alpha-2 code.');
  const made = await insertCountry(tx, country);
  const before = made ? null : ((await lockCountry(tx, country.code)) ?? null);
  if (isSame(before, country)) return country;
  if (!made) await updateCountry(tx, country);
  const action: AuditAction = made ? 'country.create' : 'country.change';
  await recordChange(tx, by, { action, objectId: country.code, before, after: country }, at);
  return country;
}
