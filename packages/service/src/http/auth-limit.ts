import type { FastifyInstance } from 'fastify';
import { admitAuthRequest } from '../actions/admit-auth-request.js';
import type { Context } from '../context.js';
import { refuseAboveLimit, showBudget } from './key-budget.js';

/** Holds the routes with `limit: 'auth'` to their budget per IP address, before anything else is looked at. */
export function limitAuthRoutes(ctx: Context, app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.limit !== 'auth') return;
    const { limit, ...state } = await admitAuthRequest(ctx, request.ip);
    showBudget(reply, limit, state);
    if (!state.admitted) throw refuseAboveLimit(reply, limit, state);
  });
}
