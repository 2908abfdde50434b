import {
  deleteIdTypePattern,
  type IdTypePattern,
  insertIdTypePattern,
  lockIdTypePattern,
  updateIdTypePattern,
} from '../../db/catalogue/countries.js';
import { isStorable } from '../../domain/encoding.js';
import { checkIdPattern, matchesIdPattern } from '../../domain/id-pattern.js';
import { AppError, invalidField } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { getCountryForChange } from './get-country.js';

/**
 * Registers the pattern that numbers of a kind of identity document have to match whole, with an example of such a number, or
 * replaces both. What is as wanted already is no change and leaves no trace. Throws `invalid_request`, field `pattern`, for
 * what is no pattern of RE2 or too large a one, field `example` for one that does not match, and `not_found` for an unknown
 * country.
 */
export async function putIdType(change: ChangeTx, input: IdTypePattern): Promise<IdTypePattern> {
  checkIdPattern(input.pattern);
  if (input.example !== null && !matchesIdPattern(input.pattern, input.example)) {
    throw invalidField('example', 'example does not match the pattern.');
  }
  const { tx } = change;
  // Held, so that patterns of a country change one after the other.
  const { code: country } = await getCountryForChange(tx, input.country);
  const wanted = { ...input, country };
  const before = await lockIdTypePattern(tx, country, input.idType);
  if (before?.pattern === input.pattern && before.example === input.example) return wanted;
  if (before) await updateIdTypePattern(tx, wanted);
  else await insertIdTypePattern(tx, wanted);
  const action = before ? 'id_type.change' : 'id_type.create';
  await record(change, action, wanted, before, wanted);
  return wanted;
}

/**
 * Removes the pattern of a kind of identity document: its numbers are taken as they are from then on. Throws `not_found`
 * for an unknown country or kind.
 */
export async function deleteIdType(
  change: ChangeTx,
  { idType, country: text }: Pick<IdTypePattern, 'country' | 'idType'>,
): Promise<IdTypePattern> {
  const { tx } = change;
  const { code: country } = await getCountryForChange(tx, text);
  const found = isStorable(idType) ? await lockIdTypePattern(tx, country, idType) : undefined;
  if (!found) throw new AppError('not_found', `There is no such id type for ${country}.`);
  await deleteIdTypePattern(tx, country, idType);
  await record(change, 'id_type.delete', found, found, undefined);
  return found;
}

async function record(
  { tx, by, at }: ChangeTx,
  action: string,
  { country, idType }: IdTypePattern,
  before: IdTypePattern | undefined,
  after: IdTypePattern | undefined,
): Promise<void> {
  const shown = (row: IdTypePattern | undefined) =>
    row ? { pattern: row.pattern, example: row.example } : null;
  const facts = { action, objectType: 'id_type', objectId: `${country}/${idType}` };
  await recordChange(tx, by, { ...facts, before: shown(before), after: shown(after) }, at);
}
