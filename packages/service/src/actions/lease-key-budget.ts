import type { Context } from '../context.js';
import {
  type BudgetLease,
  returnKeyBudgets as giveBack,
  leaseKeyBudget as lease,
} from '../db/key-budgets.js';
import type { Uuid } from '../domain/index.js';

/** Length of the window in which a key may make as many requests as are configured. */
export const budgetWindowMs = 60_000;

/** Leases up to `wanted` requests of a key's budget to this process. */
export async function leaseKeyBudget(ctx: Context, keyId: Uuid, wanted: number): Promise<BudgetLease> {
  const limit = ctx.config.keyRateLimitPerMinute;
  const now = new Date(ctx.clock.now());
  return ctx.db.transaction((tx) => lease(tx, { keyId, now, windowMs: budgetWindowMs, limit, wanted }));
}

/** Gives back what this process leased and does not use. */
export async function returnKeyBudgets(
  ctx: Context,
  unused: { keyId: Uuid; startedAt: Date; count: number }[],
): Promise<void> {
  if (unused.length > 0) await ctx.db.transaction((tx) => giveBack(tx, unused));
}
