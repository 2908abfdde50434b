import type { Context } from '../../context.js';
import { reissuesByOne } from '../../domain/pickup-code.js';
import type { DatabasePlan } from '../approvals/plan.js';
import { planChange } from '../approvals/plan-change.js';
import { lockReissuable, reissuePickupCode, shownCode } from './pickup-code.js';

/**
 * Plans to issue another pickup code, which takes two people once one person has issued `reissuesByOne`. Throws as
 * `reissuePickupCode` does.
 */
export function planReissue(
  ctx: Context,
  input: { redemptionId: string; reason: string | undefined },
): Promise<DatabasePlan<'pickup'>> {
  return planChange(ctx, {
    action: 'redemption.reissue_code',
    describe: async (tx) => {
      const { id, issued } = await lockReissuable(tx, input.redemptionId);
      const before = shownCode(issued);
      return {
        objectId: id,
        request: { redemption_id: id, reason: input.reason ?? null },
        before,
        // Codes that are tried meanwhile do not void it.
        state: [id, before.code_issued_at, before.codes_issued],
        takesTwo: before.codes_issued > reissuesByOne,
      };
    },
    apply: async (change) => ({ pickup: await reissuePickupCode(ctx, change, input) }),
  });
}
