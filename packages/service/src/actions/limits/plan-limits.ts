import type { Context } from '../../context.js';
import { lockLimits, putLimits } from '../../db/limits/velocity.js';
import { asUserId } from '../../domain/ids.js';
import { amountNumber } from '../../domain/money.js';
import {
  effectiveLimits,
  loosens,
  noLimits,
  overrides,
  type VelocityLimits,
  velocityFields,
} from '../../domain/velocity.js';
import type { DatabasePlan } from '../approvals/plan.js';
import { planChange } from '../approvals/plan-change.js';
import { isSame, recordChange } from '../audit.js';
import { amountOf } from '../trades/quote-trade.js';
import { findAbove, findOwner, known, type LimitsOf } from './read-limits.js';

/** Limits in the fields of the API; what is not named is left to the limits above. */
export interface WantedLimits {
  user_daily_usdc?: number | undefined;
  user_daily_gold?: number | undefined;
  partner_daily_usdc?: number | undefined;
  partner_daily_gold?: number | undefined;
}

const fieldOf = {
  userUsdc: 'user_daily_usdc',
  userGold: 'user_daily_gold',
  partnerUsdc: 'partner_daily_usdc',
  partnerGold: 'partner_daily_gold',
} as const satisfies Record<keyof VelocityLimits, keyof WantedLimits>;

/**
 * Plans a change of limits: lower ones take one person; whatever lets more through than before, or holds in
 * place of a limit that may be set above later, takes two. Throws
 * `invalid_request` for what is no amount, `partner_not_found`, `user_not_found`.
 */
export function planLimits(
  ctx: Context,
  of: LimitsOf,
  wanted: WantedLimits,
): Promise<DatabasePlan<'limits'>> {
  const limits = readWanted(wanted);
  return planChange(ctx, {
    action: 'limits.change',
    describe: async (tx) => {
      await lockLimits(tx);
      const found = await findOwner(tx, of);
      const now = await known(ctx, tx, found);
      const above = effectiveLimits(...(await findAbove(tx, found)));
      const after = effectiveLimits(above, limits);
      const isOverride = found.owner.kind !== 'service' && overrides(now.own, limits, above);
      return {
        objectId: found.objectId,
        request: toShown(limits),
        before: toShown(now.own),
        state: [toShown(now.own), toShown(now.effective)],
        takesTwo: isOverride || loosens(now.effective, after),
      };
    },
    apply: async ({ tx, by, at }) => {
      const found = await findOwner(tx, of);
      const before = await known(ctx, tx, found);
      const states = { before: toShown(before.own), after: toShown(limits) };
      if (isSame(states.before, states.after)) return { limits: before };
      await putLimits(tx, found.owner, limits, at);
      const changed = await known(ctx, tx, found);
      await recordChange(tx, by, { action: 'limits.change', objectId: found.objectId, ...states }, at);
      return { limits: changed };
    },
  });
}

/** Returns which limits an approval is about, by the id of its object. */
export function limitsOf(objectId: string): LimitsOf {
  if (objectId === 'service') return { kind: 'service' };
  return { kind: asUserId(objectId) ? 'user' : 'partner', id: objectId };
}

function readWanted(wanted: WantedLimits): VelocityLimits {
  const limits = { ...noLimits };
  for (const name of velocityFields) {
    const field = fieldOf[name];
    const value = wanted[field];
    limits[name] = value === undefined ? null : amountOf(value, field);
  }
  return limits;
}

/** Returns limits as an approver sees them, and as they are stored. */
function toShown(limits: VelocityLimits): Record<string, number> {
  const set = velocityFields.flatMap((name) => {
    const amount = limits[name];
    return amount === null ? [] : [[fieldOf[name], amountNumber(amount)] as const];
  });
  return Object.fromEntries(set);
}
