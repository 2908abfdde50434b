import {
  type Denomination,
  type DenominationTerms,
  lockDenomination,
  updateDenomination,
} from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import { isStorable } from '../../domain/encoding.js';
import { cityKey } from '../../domain/redemption.js';
import { AppError } from '../../errors.js';
import { isSame, recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { readCountry, requireMatchingLabel, toAudited } from './create-denomination.js';

export interface DenominationChange {
  /** As it came. */
  id: string;
  changes: { [Name in keyof DenominationTerms]?: DenominationTerms[Name] | undefined };
}

/**
 * Changes a denomination for quotes from now on; redemptions that are under way keep what they were quoted. Id and weight
 * never change. What is as wanted already is no change and leaves no trace. Throws what `readDenominationChange` throws.
 */
export async function changeDenomination(
  { tx, by, at }: ChangeTx,
  input: DenominationChange,
): Promise<Denomination> {
  const { found, terms } = await readDenominationChange(tx, input);
  const wanted = { ...found, ...terms, cityKey: cityKey(terms.city) };
  const [before, after] = [toAudited(found), toAudited(wanted)];
  if (isSame(before, after)) return found;
  await updateDenomination(tx, found.id, terms, at);
  await recordChange(tx, by, { action: 'denomination.change', objectId: found.id, before, after }, at);
  return { ...wanted, updatedAt: at };
}

/**
 * Locks a denomination, and returns it with the terms that a change leaves. Throws `not_found`, or `invalid_request` for an
 * unknown country and for a label that names another weight.
 */
export async function readDenominationChange(
  tx: Tx,
  { id, changes }: DenominationChange,
): Promise<{ found: Denomination; terms: DenominationTerms }> {
  const found = isStorable(id) ? await lockDenomination(tx, id) : undefined;
  if (!found) throw new AppError('not_found', 'There is no denomination with this id.');
  if (changes.label !== undefined) requireMatchingLabel(changes.label, found.weightG);
  const terms = {
    label: changes.label ?? found.label,
    country: changes.country === undefined ? found.country : await readCountry(tx, changes.country),
    city: changes.city ?? found.city,
    active: changes.active ?? found.active,
  };
  return { found, terms };
}
