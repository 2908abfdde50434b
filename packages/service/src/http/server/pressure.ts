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
/** Long enough that one pause, such as that of a virtual machine, does not count as overload. */
const sampleMs = 2_500;
/**
 * A process that starts takes long turns, before anybody has sent it anything. Nothing is refused until there is an average
 * without its first 2 s.
 */
const startMs = 2_000 + 2 * sampleMs;
const retryAfterSeconds = 3;

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
    pressureHandler: async (request) => {
      if (request.routeOptions.config.underPressure) return;
      if (watchedFromMs === undefined || performance.now() < watchedFromMs) return;
      const message = `The service is overloaded; try again in ${retryAfterSeconds} s.`;
      throw unavailable(message, { retryAfterSeconds });
    },
  });
}
