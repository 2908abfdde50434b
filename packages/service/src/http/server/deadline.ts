import type { FastifyInstance, FastifyReply } from 'fastify';
import { unavailable } from '../../errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** How long its work may take. */
    workClock: WorkClock | undefined;
  }
}

/**
 * Responds 503 `service_unavailable` to requests whose work takes longer than `withinMs`, or than the `handlerTimeout` of
 * their route. The time in which a body arrives does not count: that is limited by the server's `requestTimeout`. The
 * framework's own timer is not enough, because it stops once a body was read from a socket.
 */
export function limitWork(app: FastifyInstance, withinMs: number): void {
  app.decorateRequest('workClock', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    request.workClock = new WorkClock(reply, request.routeOptions.handlerTimeout || withinMs);
    request.workClock.resume();
    done();
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    request.workClock?.pause();
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => {
    request.workClock?.resume();
    done();
  });
  // Once a response is being sent there must not be a second one.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.workClock?.pause();
    done();
  });
}

class WorkClock {
  readonly #reply: FastifyReply;
  #leftMs: number;
  #startedMs = 0;
  /** Undefined while it stands still. */
  #timer: NodeJS.Timeout | undefined;

  constructor(reply: FastifyReply, ms: number) {
    this.#reply = reply;
    this.#leftMs = ms;
  }

  resume(): void {
    this.#startedMs = performance.now();
    this.#timer ??= setTimeout(refuse, Math.max(0, this.#leftMs), this.#reply).unref();
  }

  pause(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedMs;
  }
}

function refuse(reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return;
  reply.send(unavailable('This took too long; try again shortly.'));
}
