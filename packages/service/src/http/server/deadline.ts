import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../../errors.js';
import { Slots } from '../../runtime/slots.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** How long its work may take. */
    workClock: WorkClock | undefined;
  }
}

/** How often clocks are looked at: a response that is late is so by this much more. */
const lookEveryMs = 100;

/**
 * Responds 503 `service_unavailable` to requests whose work takes longer than `withinMs`, or than the `handlerTimeout` of
 * their route. The time in which a body arrives does not count: that is limited by the server's `requestTimeout`. The
 * framework's own timer is not enough, because it stops once a body was read from a socket; and one timer looks after all
 * requests, because nearly all of them are answered long before.
 */
export function limitWork(app: FastifyInstance, withinMs: number): void {
  const running = new Slots<WorkClock>();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const clock of running) clock.look(nowMs);
  }, lookEveryMs).unref();
  const stop = ({ workClock }: FastifyRequest) => workClock?.pause();
  const start = ({ workClock }: FastifyRequest) => workClock?.resume();
  app.decorateRequest('workClock', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    request.workClock = new WorkClock(reply, request.routeOptions.handlerTimeout || withinMs, running);
    start(request);
    done();
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    stop(request);
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => {
    start(request);
    done();
  });
  // Once a response is being sent there must not be a second one.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    stop(request);
    done();
  });
  app.addHook('onClose', async () => clearInterval(timer));
}

class WorkClock {
  readonly #reply: FastifyReply;
  readonly #running: Slots<WorkClock>;
  /** Among those that run; undefined while it stands still. */
  #place: number | undefined;
  #leftMs: number;
  #startedMs = 0;

  constructor(reply: FastifyReply, ms: number, running: Slots<WorkClock>) {
    this.#reply = reply;
    this.#leftMs = ms;
    this.#running = running;
  }

  /** Takes off what was spent on the request before. */
  spend(ms: number): void {
    this.#leftMs -= ms;
  }

  resume(): void {
    this.#startedMs = performance.now();
    this.#place ??= this.#running.add(this);
  }

  pause(): void {
    if (this.#place === undefined) return;
    this.#leftMs -= performance.now() - this.#startedMs;
    this.#running.remove(this.#place);
    this.#place = undefined;
  }

  /** Stands still once there is nothing left to wait for; refuses the request when its time is over. */
  look(nowMs: number): void {
    const isGone = this.#reply.raw.destroyed;
    if (!isGone && nowMs - this.#startedMs < this.#leftMs) return;
    this.pause();
    if (!isGone) refuse(this.#reply);
  }
}

function refuse(reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) return;
  reply.send(unavailable('This took too long; try again shortly.'));
}
