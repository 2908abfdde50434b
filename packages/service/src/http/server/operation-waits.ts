import type { FastifyInstance, FastifyReply } from 'fastify';
import { getOperation } from '../../actions/trades/get-operation.js';
import type { Context } from '../../context.js';
import type { Operation, OperationStatus } from '../../db/trades/operation.js';
import { asRedemptionId, asTradeId, type Uuid } from '../../domain/ids.js';
import type { Principal } from '../../domain/principal.js';
import { untilAny } from '../../runtime/time.js';
import { Wake } from '../../runtime/wake.js';
import { tooManyOpen } from './open-streams.js';

/** The longest that a request may wait, seconds. */
export const longestWaitSeconds = 30;
/** Requests of a partner that may wait at once in a process: each holds a connection. */
const maxWaitsOfAPartner = 100;
/** Not every change is an event: a transaction becoming final is not, nor is the sending of a redemption's transaction. */
const lookEveryMs = 1_000;
/** What an operation does not leave again. */
const ends: readonly OperationStatus[] = ['finalized', 'failed', 'expired'];

/** Returns whether an event announces the next status of an operation, so that it need not be looked for. */
function isAnnounced({ id, status }: Operation): boolean {
  return id.startsWith('trd_') && (status === 'unknown' || status === 'submitted');
}

interface OperationWait {
  principal: Principal;
  /** As it came. */
  id: string;
  /** How long to wait for another status. */
  seconds: number;
  /** The status that the caller knows; undefined: the one that is found first. */
  status: OperationStatus | undefined;
}

/** Requests that wait for a transaction to go on. */
export class OperationWaits {
  readonly #ctx: Context;
  readonly #closing = new AbortController();
  /** Requests that wait, by partner. */
  readonly #waiting = new Map<Uuid, number>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Lets all who wait go when the application closes. */
  attach(app: FastifyInstance): void {
    app.addHook('preClose', async () => this.#closing.abort());
  }

  /**
   * Returns an operation once its status is not `status`, or after `seconds`; at once if it has ended, and when its caller
   * is gone. Throws as `getOperation` does, and 429 `rate_limited` when too many requests of the partner wait in this process.
   */
  async get(wait: OperationWait, reply: FastifyReply): Promise<Operation> {
    const { principal, id, seconds } = wait;
    const objectId = asTradeId(id) ?? asRedemptionId(id);
    if (seconds === 0 || !objectId) return getOperation(this.#ctx, principal, id);
    const { partnerId } = principal;
    const waiting = this.#waiting.get(partnerId) ?? 0;
    if (waiting >= maxWaitsOfAPartner) {
      const message = `A partner may have ${maxWaitsOfAPartner} requests waiting at once; send the request without wait, or follow the event stream.`;
      throw tooManyOpen(message, 1);
    }
    this.#waiting.set(partnerId, waiting + 1);
    const woken = new Wake();
    // Before the first read, so that nothing is missed in between.
    const unfollow = this.#ctx.feed.follow({ partnerId, objectId }, () => woken.wake());
    try {
      return await this.#wait(wait, reply, woken);
    } finally {
      unfollow();
      this.#leave(partnerId);
    }
  }

  #leave(partnerId: Uuid): void {
    const left = (this.#waiting.get(partnerId) ?? 1) - 1;
    if (left > 0) this.#waiting.set(partnerId, left);
    else this.#waiting.delete(partnerId);
  }

  async #wait(
    { principal, id, seconds, status }: OperationWait,
    reply: FastifyReply,
    woken: Wake,
  ): Promise<Operation> {
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once('close', leave);
    const endMs = performance.now() + seconds * 1_000;
    try {
      let last = await getOperation(this.#ctx, principal, id);
      const known = status ?? last.status;
      return await untilAny([gone.signal, this.#closing.signal], async (signal) => {
        for (;;) {
          const leftMs = endMs - performance.now();
          if (leftMs <= 0 || signal.aborted || last.status !== known || ends.includes(last.status))
            return last;
          await woken.sleep(isAnnounced(last) ? leftMs : Math.min(leftMs, lookEveryMs), signal);
          last = await getOperation(this.#ctx, principal, id);
        }
      });
    } finally {
      // An open connection would keep a process that stops waiting.
      if (this.#closing.signal.aborted) reply.header('connection', 'close');
      reply.raw.off('close', leave);
    }
  }
}
