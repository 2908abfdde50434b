import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Context } from '../../context.js';
import { isLoopbackHost } from '../../domain/loopback.js';
import { AppError } from '../../errors.js';
import { handleError } from './errors.js';
import { createServer } from './server.js';
import { respondToUnknownRoutes } from './unknown-routes.js';

const path = '/metrics';
/** Not logged, because it is requested every few seconds. */
const hidden = {
  config: { auth: 'none', underPressure: true },
  schema: { hide: true },
  logLevel: 'warn',
} as const;

/** `GET /metrics` on a port that serves more than this: for this machine alone, even if the port is open to others. */
export function metricsOfThisMachine(ctx: Context): FastifyPluginAsync {
  return async (app) => {
    ctx.metrics.serve();
    app.get(path, hidden, async (request, reply) => {
      if (!isFromThisMachine(request)) {
        throw new AppError('forbidden', 'Metrics are served to this machine only; see KARAT_METRICS_PORT.');
      }
      return reply.type(ctx.metrics.contentType).send(await ctx.metrics.text());
    });
  };
}

/** Builds the application that serves only `GET /metrics`, on a port of its own, to anyone who can reach it. */
export async function buildMetricsApp(ctx: Context): Promise<FastifyInstance> {
  const app = await createServer(ctx);
  app.setErrorHandler<FastifyError>((error, request, reply) => handleError(error, request, reply));
  respondToUnknownRoutes(app);
  ctx.metrics.serve();
  app.get(path, hidden, async (_request, reply) =>
    reply.type(ctx.metrics.contentType).send(await ctx.metrics.text()),
  );
  await app.ready();
  return app;
}

/**
 * Returns whether the caller itself is on this machine: a proxy on it speaks for others, and so does a browser with
 * a page whose name was made to lead here, which it sends as the host.
 */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const isDirect = !headers['x-forwarded-for'] && !headers.forwarded;
  return isLoopbackHost(address) && isLoopbackHost(host) && isDirect;
}
