import type { Context } from '../../context.js';
import { type DenominationTerms, lockDenomination } from '../../db/catalogue/denominations.js';
import { decimalNumber } from '../../domain/money.js';
import type { DatabasePlan } from '../approvals/plan.js';
import { planChange } from '../approvals/plan-change.js';
import {
  changeDenomination,
  type DenominationChange,
  readDenominationChange,
} from './change-denomination.js';
import {
  createDenomination,
  denominationExists,
  type NewDenomination,
  readDenomination,
  toAudited,
} from './create-denomination.js';

/**
 * Plans to offer a new denomination, which takes two people, because its weight never changes. Throws what
 * `createDenomination` throws.
 */
export function planDenomination(
  ctx: Context,
  input: NewDenomination,
): Promise<DatabasePlan<'denomination'>> {
  return planChange(ctx, {
    action: 'denomination.create',
    describe: async (tx) => {
      await readDenomination(tx, input);
      if (await lockDenomination(tx, input.id)) throw denominationExists(input.id);
      const { weightG, ...rest } = input;
      return {
        objectId: input.id,
        request: { ...rest, weight_g: weightG },
        before: null,
        state: null,
        takesTwo: true,
      };
    },
    apply: async (change) => ({ denomination: await createDenomination(change, input) }),
  });
}

/**
 * Plans a change of a denomination. Another label takes two people, because customers buy the
 * piece by it, and so does another place, because that is where they go for it. Throws what
 * `changeDenomination` throws.
 */
export function planDenominationChange(
  ctx: Context,
  input: DenominationChange,
): Promise<DatabasePlan<'denomination'>> {
  return planChange(ctx, {
    action: 'denomination.change',
    describe: async (tx) => {
      const { found, terms } = await readDenominationChange(tx, input);
      const names = ['label', 'country', 'city', 'active'] as const satisfies (keyof DenominationTerms)[];
      const changed = names.filter((name) => terms[name] !== found[name]);
      const state = toAudited(found);
      return {
        objectId: found.id,
        request: Object.fromEntries(changed.map((name) => [name, terms[name]])),
        before: { ...state, weight_g: decimalNumber(found.weightG) },
        state,
        takesTwo: changed.some((name) => name !== 'active'),
      };
    },
    apply: async (change) => ({ denomination: await changeDenomination(change, input) }),
  });
}
