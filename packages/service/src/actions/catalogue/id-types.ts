import {
  deleteIdTypePattern,
  type IdTypePattern,
  insertIdTypePattern,
  lockIdTypePattern,
  updateIdTypePattern,
} from '../../db/catalogue/countries.js';
import type { AuditAction } from '../../domain/audit.js';
import { isStorable } from '../../domain/encoding.js';
import { checkIdPattern, matchesIdPattern } from '../../domain/id-pattern.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { getCountryForChange } from './get-country.js';

/** A pattern and its example as somebody has seen them: without what was not there. */
type SeenPattern = Partial<Pick<IdTypePattern, 'pattern' | 'example'>>;

/**
 * Registers the pattern that numbers of a kind of identity document have to match whole, with an example of such a number, or
 * replaces both. What is as wanted already is no change and leaves no trace. Throws `invalid_request`, field `pattern`, for
 * what is no pattern of RE2 or too large a one, field `example` for one that does not match, `not_found` for an unknown
 * country, and `transition_not_allowed` if `expected` is given and is not what would be replaced.
 */
export async function putIdType(
  change: ChangeTx,
  { expected, ...input }: IdTypePattern & { expected?: SeenPattern | undefined },
): Promise<IdTypePattern> {
  checkIdPattern(input.pattern);
  if (input.example !== null && !matchesIdPattern(input.pattern, input.example)) {
    throw invalidField('example', 'example does not match the pattern.');
  }
  const { tx } = change;
  // Held, so that patterns of a country change one after the other.
  const { code: country } = await getCountryForChange(tx, input.country);
  const wanted = { ...input, country };
  const before = await lockIdTypePattern(tx, country, input.idType);
  if (isAs(before, input)) return wanted;
  if (expected !== undefined && !isAs(before, expected)) {
    const message = 'Somebody else has changed this id type; check it again.';
    throw notAllowed(message, { field: 'expected' });
  }
  if (before) await updateIdTypePattern(tx, wanted);
  else await insertIdTypePattern(tx, wanted);
  const action: AuditAction = before ? 'id_type.change' : 'id_type.create';
  await record(change, action, wanted, before, wanted);
  return wanted;
}

/** Returns whether a registered pattern, or none, is as somebody has seen it. */
function isAs(row: IdTypePattern | undefined, seen: SeenPattern): boolean {
  return row?.pattern === seen.pattern && (row?.example ?? undefined) === (seen.example ?? undefined);
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
  action: AuditAction,
  { country, idType }: IdTypePattern,
  before: IdTypePattern | undefined,
  after: IdTypePattern | undefined,
): Promise<void> {
  const shown = (row: IdTypePattern | undefined) =>
    row ? { pattern: row.pattern, example: row.example } : null;
  const facts = { action, objectId: `${country}/${idType}` };
  await recordChange(tx, by, { ...facts, before: shown(before), after: shown(after) }, at);
}
