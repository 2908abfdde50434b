import type { FastifyInstance, FastifyReply } from 'fastify';
import { Budget, type BudgetState } from '../../actions/limits/budget.js';
import type { Context } from '../../context.js';
import {
  exactBudget,
  type NetworkBudgetName,
  networkBudgetNames,
  type OpenBudgetName,
} from '../../domain/limits.js';
import { AppError } from '../../errors.js';
import { keepBudgets, refuseAboveLimit, showBudget } from './budgets.js';
import { clientNetwork } from './client-network.js';

declare module 'fastify' {
  interface FastifyInstance {
    networkBudgets: Record<NetworkBudgetName, Budget>;
  }
}

/**
 * Holds the routes with a `limit` to that budget per network, before anything else is looked at: no more than the limit in
 * any 60 seconds, over all processes. Refused requests do not count, so a caller who waits for `retry-after` gets through.
 */
export function limitOpenRoutes(ctx: Context, app: FastifyInstance): void {
  const { authRateLimitPerMinute, openRateLimitPerMinute } = ctx.config;
  const budgets = networkBudgetNames.map((name) => {
    const limit = name === 'auth' ? authRateLimitPerMinute : openRateLimitPerMinute;
    return [name, new Budget(ctx, exactBudget(name, limit))] as const;
  });
  app.decorate('networkBudgets', Object.fromEntries(budgets) as Record<NetworkBudgetName, Budget>);
  keepBudgets(
    ctx,
    app,
    budgets.map(([, budget]) => budget),
  );
  app.addHook('onRequest', (request, reply, done) => {
    const budget = request.routeOptions.config.limit;
    if (budget === undefined) return done();
    takeFromBudget(reply, budget).then(() => done(), done);
  });
}

/**
 * Counts the request of a reply as `count` against a budget of its network, in addition to what it was counted as before.
 * Throws `rate_limited`, and then counts nothing.
 */
export async function takeFromBudget(reply: FastifyReply, name: OpenBudgetName, count = 1): Promise<void> {
  const budget = reply.server.networkBudgets[name];
  const state = await budget.take(networkOf(reply), count);
  showBudget(reply, budget.limit, state);
  if (!state.admitted) throw refuseAboveLimit(budget.limit, state);
}

/** Counts an invalid key. Throws `rate_limited` when its network has shown too many of them. */
export async function countGuess(reply: FastifyReply): Promise<void> {
  const state = await reply.server.networkBudgets.bad_key.take(networkOf(reply));
  if (!state.admitted) throw refuseGuess(reply, state);
}

/** Throws `rate_limited` when the network of a request is known to have shown too many invalid keys. */
export function refuseGuesses(reply: FastifyReply): void {
  const known = reply.server.networkBudgets.bad_key.refusalOf(networkOf(reply));
  if (known) throw refuseGuess(reply, known);
}

function refuseGuess(reply: FastifyReply, state: BudgetState): AppError {
  showBudget(reply, reply.server.networkBudgets.bad_key.limit, state);
  const retryAfterSeconds = state.resetSeconds;
  const message = `Too many invalid keys came from your network; try again in ${retryAfterSeconds} s.`;
  return new AppError('rate_limited', message, { retryAfterSeconds });
}

function networkOf({ request }: FastifyReply): string {
  return clientNetwork(request.ip);
}
