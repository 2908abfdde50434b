import type { Context } from '../context.js';
import { deleteIdTypePattern, type IdTypePattern, lockIdTypePattern } from '../db/countries.js';
import type { ChangedBy } from '../domain/audit.js';
import { isStorable } from '../domain/encoding.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { getCountryForChange } from './get-country.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/**
 * Removes the pattern of a kind of identity document: its numbers are taken as they are from then on. Throws `not_found`
 * for an unknown country or kind.
 */
export async function deleteIdType(
  ctx: Context,
  by: ChangedBy,
  input: { country: string; idType: string },
  settle: Settle<IdTypePattern> = settleNothing,
): Promise<IdTypePattern> {
  const { idType } = input;
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const { code: country } = await getCountryForChange(tx, input.country);
    const found = isStorable(idType) ? await lockIdTypePattern(tx, country, idType) : undefined;
    if (!found) throw new AppError('not_found', `There is no such id type of ${country}.`);
    await deleteIdTypePattern(tx, country, idType);
    const change = {
      action: 'id_type.delete',
      objectType: 'id_type',
      objectId: `${country}/${idType}`,
      before: { pattern: found.pattern },
      after: null,
    };
    await recordChange(tx, by, change, at);
    await settle(tx, found);
    return found;
  });
}
