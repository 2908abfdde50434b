import type { FastifyInstance, FastifyReply } from 'fastify';
import { admitOpenRequest, type OpenBudget } from '../actions/admit-open-request.js';
import type { Context } from '../context.js';
import { refuseAboveLimit, showBudget } from './key-budget.js';

/** Holds the routes with a `limit` to that budget per IP address, before anything else is looked at. */
export function limitOpenRoutes(ctx: Context, app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const budget = request.routeOptions.config.limit;
    if (budget === undefined) return;
    await takeFromBudget(ctx, reply, budget);
  });
}

/**
 * Counts the request of an answer as `count` against a budget of its IP address, beside what it was counted as before.
 * Throws `rate_limited`, and then counts nothing.
 */
export async function takeFromBudget(
  ctx: Context,
  reply: FastifyReply,
  budget: OpenBudget,
  count = 1,
): Promise<void> {
  const { limit, ...state } = await admitOpenRequest(ctx, budget, reply.request.ip, count);
  showBudget(reply, limit, state);
  if (!state.admitted) throw refuseAboveLimit(reply, limit, state);
}
