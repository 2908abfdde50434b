import type { Context } from '../context.js';
import {
  type BudgetLease,
  returnKeyBudgets as giveBack,
  leaseKeyBudget as lease,
} from '../db/key-budgets.js';
import type { Uuid } from '../domain/index.js';

/** Length of the window in which a key, or a partner, may make as many requests as its limit says. */
export const budgetWindowMs = 60_000;

/** Leases up to `wanted` requests of the budget of a key or a partner to this process. */
export async function leaseKeyBudget(
  ctx: Context,
  ownerId: Uuid,
  limit: number,
  wanted: number,
): Promise<BudgetLease> {
  const now = new Date(ctx.clock.now());
  return ctx.db.transaction((tx) => lease(tx, { ownerId, now, windowMs: budgetWindowMs, limit, wanted }));
}

/** Gives back what this process leased and does not use. */
export async function returnKeyBudgets(
  ctx: Context,
  unused: { ownerId: Uuid; startedAt: Date; count: number }[],
): Promise<void> {
  if (unused.length > 0) await ctx.db.transaction((tx) => giveBack(tx, unused));
}
