import type { FastifyInstance } from 'fastify';
import { admitOpenRequest } from '../actions/admit-open-request.js';
import type { Context } from '../context.js';
import { refuseAboveLimit, showBudget } from './key-budget.js';

/** Holds the routes with a `limit` to that budget per IP address, before anything else is looked at. */
export function limitOpenRoutes(ctx: Context, app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const budget = request.routeOptions.config.limit;
    if (budget === undefined) return;
    const { limit, ...state } = await admitOpenRequest(ctx, budget, request.ip);
    showBudget(reply, limit, state);
    if (!state.admitted) throw refuseAboveLimit(reply, limit, state);
  });
}
