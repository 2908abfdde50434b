import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Budget, BudgetState } from '../../actions/limits/budget.js';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';

const lookEveryMs = 1_000;

/** Gives back every second what lies idle of budgets while the app runs, and everything when it closes. */
export function keepBudgets(
  ctx: Pick<Context, 'log'>,
  app: FastifyInstance,
  budgets: readonly Budget[],
): void {
  const giveBack = async (everything: boolean) => {
    for (const result of await Promise.allSettled(budgets.map((budget) => budget.giveBack(everything))))
      if (result.status === 'rejected')
        ctx.log.warn({ err: result.reason }, 'unused requests of a budget were not returned');
  };
  const timer = setInterval(() => void giveBack(false), lookEveryMs).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await giveBack(true);
  });
}

/** Sets the headers that say what is left, on every response of a limited route. */
export function showBudget(reply: FastifyReply, limit: number, state: BudgetState): void {
  reply.headers({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(state.resetSeconds),
  });
}

export function refuseAboveLimit(
  limit: number,
  { resetSeconds, of }: BudgetState & { of?: 'key' | 'partner' },
): AppError {
  const what =
    of === 'partner'
      ? `All keys of a partner together may make ${limit} requests a minute`
      : `Only ${limit} requests a minute are allowed here`;
  const message = `${what}; try again in ${resetSeconds} s.`;
  return new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}
