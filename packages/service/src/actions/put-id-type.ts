import type { Context } from '../context.js';
import {
  type IdTypePattern,
  insertIdTypePattern,
  lockIdTypePattern,
  updateIdTypePattern,
} from '../db/countries.js';
import type { ChangedBy } from '../domain/audit.js';
import { checkIdPattern } from '../domain/id-pattern.js';
import { recordChange } from './audit.js';
import { getCountryForChange } from './get-country.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/**
 * Registers the pattern that numbers of a kind of identity document have to match whole, or replaces it. What is as wanted
 * already is no change and leaves no trace. Throws `invalid_request`, field `pattern`, for what is no pattern of RE2 or too
 * large a one, and `not_found` for an unknown country.
 */
export async function putIdType(
  ctx: Context,
  by: ChangedBy,
  input: IdTypePattern,
  settle: Settle<IdTypePattern> = settleNothing,
): Promise<IdTypePattern> {
  checkIdPattern(input.pattern);
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    // Held, so that patterns of a country change one after the other.
    const { code: country } = await getCountryForChange(tx, input.country);
    const wanted = { ...input, country };
    const { idType, pattern } = wanted;
    const before = await lockIdTypePattern(tx, country, idType);
    if (before?.pattern !== pattern) {
      if (before) await updateIdTypePattern(tx, wanted);
      else await insertIdTypePattern(tx, wanted);
      const change = {
        action: before ? 'id_type.change' : 'id_type.create',
        objectType: 'id_type',
        objectId: `${country}/${idType}`,
        before: before ? { pattern: before.pattern } : null,
        after: { pattern },
      };
      await recordChange(tx, by, change, at);
    }
    await settle(tx, wanted);
    return wanted;
  });
}
