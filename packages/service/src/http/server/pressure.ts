import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { unavailable } from '../../errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route responds however busy the process is: probes and metrics, by which people find out about it. */
    underPressure?: true;
  }
}

/**
 * How long a turn of the event loop may take on average. A request takes several turns, so above that it could not be
 * done within 5 s.
 */
export const usualMaxTurnMs = 1_000;
/** The average is over so long that a single pause, such as that of a virtual machine, is none. */
const sampleMs = 2_500;
/**
 * What a process does at its start takes long turns, before anybody has sent it anything: until the first average that has
 * nothing of the first 2 s in it.
 */
const startMs = 2_000 + 2 * sampleMs;
const retryAfterSeconds = '2';

/**
 * Responds 503 `service_unavailable` with `retry-after` while turns of the event loop take longer than `maxTurnMs` on average,
 * before a request costs more. With 0 it never does.
 */
export async function refuseUnderPressure(app: FastifyInstance, maxTurnMs: number): Promise<void> {
  let watchedFromMs: number | undefined;
  app.addHook('onListen', async () => {
    watchedFromMs = performance.now() + startMs;
  });
  await app.register(underPressure, {
    maxEventLoopDelay: maxTurnMs,
    sampleInterval: sampleMs,
    pressureHandler: async (request, reply) => {
      if (request.routeOptions.config.underPressure) return;
      if (watchedFromMs === undefined || performance.now() < watchedFromMs) return;
      reply.header('retry-after', retryAfterSeconds);
      throw unavailable('The service is overloaded; try again in 2 s.');
    },
  });
}
