import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Context } from '../context.js';

/** `GET /health`: liveness, touches nothing. */
export function healthRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/health', { config: { auth: 'none' } }, async () => ({
      status: 'ok',
      service: 'karat',
      version: '0.1.0',
      time: new Date(ctx.clock.now()).toISOString(),
    }));
  };
}
