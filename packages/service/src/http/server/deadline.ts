import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../../errors.js';

/**
 * Responds 503 `service_unavailable` to requests whose work takes longer than `withinMs`, or than the `handlerTimeout` of
 * their route. The time in which a body arrives does not count: that is limited by the server's `requestTimeout`. The
 * framework's own timer is not enough, because it stops once a body was read from a socket.
 */
export function limitWork(app: FastifyInstance, withinMs: number): void {
  const clocks = new WeakMap<FastifyRequest, WorkClock>();
  app.addHook('onRequest', async (request, reply) => {
    const ms = request.routeOptions.handlerTimeout || withinMs;
    const clock = new WorkClock(ms, () => refuse(reply));
    clocks.set(request, clock);
    reply.raw.once('close', () => clock.stop());
    clock.start();
  });
  app.addHook('preParsing', async (request) => clocks.get(request)?.stop());
  app.addHook('preValidation', async (request) => clocks.get(request)?.start());
  // Once a response is being sent there must not be a second one.
  app.addHook('onSend', async (request, _reply, payload) => {
    clocks.get(request)?.stop();
    return payload;
  });
}

function refuse(reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) return;
  reply.send(unavailable('This took too long; try again shortly.'));
}

class WorkClock {
  readonly #onOver: () => void;
  #leftMs: number;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onOver: () => void) {
    this.#leftMs = ms;
    this.#onOver = onOver;
  }

  start(): void {
    this.#startedMs = performance.now();
    this.#timer = setTimeout(this.#onOver, Math.max(0, this.#leftMs));
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedMs;
  }
}
