import type { FastifyInstance, FastifyReply } from 'fastify';
import { getOperation } from '../../actions/trades/get-operation.js';
import type { Operation, OperationStatus } from '../../actions/trades/operation.js';
import type { Context } from '../../context.js';
import type { Principal } from '../../domain/principal.js';
import type { EventWake } from '../../runtime/event-wake.js';
import { untilAny } from '../../runtime/time.js';
import { Wake } from '../../runtime/wake.js';

/** The longest that a request may wait, seconds. */
export const longestWaitSeconds = 30;
/** Not every change is an event: `finalized` is none. */
const lookEveryMs = 1_000;
/** What an operation does not leave again. */
const ends: readonly OperationStatus[] = ['finalized', 'failed', 'expired'];

/** Requests that wait for a transaction to go on. */
export class OperationWaits {
  readonly #ctx: Context;
  readonly #wake: EventWake;
  readonly #closing = new AbortController();

  constructor(ctx: Context, wake: EventWake) {
    this.#ctx = ctx;
    this.#wake = wake;
  }

  /** Lets all who wait go when the application closes. */
  attach(app: FastifyInstance): void {
    app.addHook('preClose', async () => this.#closing.abort());
  }

  /**
   * Returns an operation once its status is not what it was, or after `seconds`; at once if it has ended, and when its caller
   * is gone. Throws as `getOperation` does.
   */
  async get(
    { principal, id, seconds }: { principal: Principal; id: string; seconds: number },
    reply: FastifyReply,
  ): Promise<Operation> {
    const woken = new Wake();
    const stop = seconds === 0 ? () => {} : this.#wake.of(principal.partnerId, () => woken.wake());
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once('close', leave);
    const endMs = performance.now() + seconds * 1_000;
    try {
      const first = await getOperation(this.#ctx, principal, id);
      let last = first;
      return await untilAny([gone.signal, this.#closing.signal], async (signal) => {
        for (;;) {
          const leftMs = endMs - performance.now();
          if (leftMs <= 0 || signal.aborted || last.status !== first.status || ends.includes(last.status))
            return last;
          await woken.sleep(Math.min(leftMs, lookEveryMs), signal);
          last = await getOperation(this.#ctx, principal, id);
        }
      });
    } finally {
      // An open connection would keep a process that stops waiting.
      if (this.#closing.signal.aborted) reply.header('connection', 'close');
      stop();
      reply.raw.off('close', leave);
    }
  }
}
