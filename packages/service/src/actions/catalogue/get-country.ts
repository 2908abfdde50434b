import { type Country, findCountry, lockCountry } from '../../db/catalogue/countries.js';
import type { Db, Tx } from '../../db/client.js';
import { isCountryCode } from '../../domain/kyc.js';
import { AppError } from '../../errors.js';

/** Returns the country of a code in any case. Throws `not_found`. */
export async function getCountry(db: Db | Tx, text: string): Promise<Country> {
  return found(text, (code) => findCountry(db, code));
}

/** Returns the country of a code, locked until the transaction ends. Throws `not_found`. */
export async function getCountryForChange(tx: Tx, text: string): Promise<Country> {
  return found(text, (code) => lockCountry(tx, code));
}

async function found(text: string, find: (code: string) => Promise<Country | undefined>): Promise<Country> {
  const code = text.toUpperCase();
  const country = isCountryCode(code) ? await find(code) : undefined;
  if (!country) throw new AppError('not_found', 'There is no country with this code.');
  return country;
}
