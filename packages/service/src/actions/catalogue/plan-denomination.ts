import type { Context } from '../../context.js';
import { lockDenomination } from '../../db/catalogue/denominations.js';
import type { Plan } from '../approvals/plan.js';
import { planChange } from '../approvals/plan-change.js';
import {
  createDenomination,
  denominationExists,
  type NewDenomination,
  readDenomination,
} from './create-denomination.js';

/**
 * Plans to offer a new denomination, which takes two people, because its weight never changes. Throws what
 * `createDenomination` throws.
 */
export function planDenomination(ctx: Context, input: NewDenomination): Promise<Plan> {
  return planChange(ctx, {
    action: 'denomination.create',
    objectType: 'denomination',
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
