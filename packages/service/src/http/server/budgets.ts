import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Budget, BudgetState } from '../../actions/limits/budget.js';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import type { TakenBudget } from './key-budget.js';

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

export function refuseAboveLimit(limit: number, { resetSeconds }: BudgetState): AppError {
  const message = `Only ${limit} requests a minute are allowed here; try again in ${resetSeconds} s.`;
  return new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}

const kinds = {
  reads: 'reads (GET) a minute, counted apart from writes',
  writes: 'writes (all but GET) a minute, counted apart from reads',
};

const owners = {
  key: 'This key',
  member: 'This member',
  partner: 'All keys and members of a partner together',
};

/** Returns the refusal of a request with a key or session, which names the limit that was reached. */
export function refuseAboveKeyLimit({ resetSeconds, limit, of, kind }: TakenBudget): AppError {
  const owner = owners[of];
  const message = `${owner} may make ${limit} ${kinds[kind]} (limit ${of}_${kind}); try again in ${resetSeconds} s.`;
  const reason = 'request_limit_reached';
  return new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds, reason });
}
