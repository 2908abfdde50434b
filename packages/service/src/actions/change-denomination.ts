import type { Context } from '../context.js';
import { type Denomination, lockDenomination, updateDenomination } from '../db/denominations.js';
import type { ChangedBy } from '../domain/audit.js';
import { isStorable } from '../domain/encoding.js';
import { cityKey } from '../domain/redemption.js';
import { AppError } from '../errors.js';
import { isSame, recordChange } from './audit.js';
import { readCountry, requireMatchingLabel, toAudited } from './create-denomination.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/** What changes; undefined stays as it is. */
export interface DenominationChanges {
  label: string | undefined;
  /** In any case. */
  country: string | undefined;
  city: string | undefined;
  active: boolean | undefined;
}

/**
 * Changes a denomination for quotes from now on; redemptions that are under way keep what they were quoted. Id and weight
 * never change. What is as wanted already is no change and leaves no trace. Throws `not_found`, or `invalid_request` for
 * an unknown country and for a label that names another weight.
 */
export async function changeDenomination(
  ctx: Context,
  by: ChangedBy,
  input: { id: string; changes: DenominationChanges },
  settle: Settle<Denomination> = settleNothing,
): Promise<Denomination> {
  const { id, changes } = input;
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const found = isStorable(id) ? await lockDenomination(tx, id) : undefined;
    if (!found) throw new AppError('not_found', 'There is no denomination with this id.');
    if (changes.label !== undefined) requireMatchingLabel(changes.label, found.weightG);
    const terms = {
      label: changes.label ?? found.label,
      country: changes.country === undefined ? found.country : await readCountry(tx, changes.country),
      city: changes.city ?? found.city,
      active: changes.active ?? found.active,
    };
    const wanted = { ...found, ...terms, cityKey: cityKey(terms.city) };
    const [before, after] = [toAudited(found), toAudited(wanted)];
    const same = isSame(before, after);
    const denomination = same ? found : { ...wanted, updatedAt: at };
    if (!same) {
      await updateDenomination(tx, id, terms, at);
      const change = { action: 'denomination.change', objectType: 'denomination', objectId: id };
      await recordChange(tx, by, { ...change, before, after }, at);
    }
    await settle(tx, denomination);
    return denomination;
  });
}
