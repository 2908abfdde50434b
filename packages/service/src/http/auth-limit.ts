import type { FastifyInstance } from 'fastify';
import { admitAuthRequest } from '../actions/admit-auth-request.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';

/** Holds the routes with `limit: 'auth'` to their budget per IP address, before anything else is looked at. */
export function limitAuthRoutes(ctx: Context, app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.limit !== 'auth') return;
    const { admitted, limit, remaining, resetSeconds } = await admitAuthRequest(ctx, request.ip);
    reply.headers({
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(resetSeconds),
    });
    if (admitted) return;
    reply.header('retry-after', String(resetSeconds));
    throw new AppError(
      'rate_limited',
      `Only ${limit} requests a minute here; try again in ${resetSeconds} s.`,
    );
  });
}
