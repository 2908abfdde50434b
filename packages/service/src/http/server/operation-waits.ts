import type { FastifyInstance, FastifyReply } from 'fastify';
import { getOperation } from '../../actions/trades/get-operation.js';
import type { Context } from '../../context.js';
import { findLastSequences, findObjectsOf } from '../../db/events/events.js';
import type { Operation, OperationStatus } from '../../db/trades/operation.js';
import type { Uuid } from '../../domain/ids.js';
import type { Principal } from '../../domain/principal.js';
import type { EventWake } from '../../runtime/event-wake.js';
import { untilAny } from '../../runtime/time.js';
import { Wake } from '../../runtime/wake.js';
import { tooManyOpen } from './open-streams.js';

/** The longest that a request may wait, seconds. */
export const longestWaitSeconds = 30;
/** Requests of a partner that may wait at once in a process: each holds a connection. */
const waitsOfAPartner = 100;
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
}

/** With more new events than this, their objects are not read: they may be about anything. */
const mostRead = 1_000;

interface Waiter {
  /** The operation, once it was read: until then any event may be about it. */
  id: string | undefined;
  wake(): void;
}

/** The requests of a partner that wait in this process. An event wakes only those that wait for what it is about. */
class Waiters {
  readonly all = new Set<Waiter>();
  /** Ends the notifications. */
  readonly stop: () => void;
  readonly #db: Context['db'];
  readonly #partnerId: Uuid;
  /** Number of the newest event whose object was woken. */
  #known: bigint | undefined;
  #isRung = false;
  #isLooking = false;

  constructor({ db }: Pick<Context, 'db'>, wake: EventWake, partnerId: Uuid) {
    this.#db = db;
    this.#partnerId = partnerId;
    this.stop = wake.of(partnerId, () => void this.#ring());
  }

  async #ring(): Promise<void> {
    this.#isRung = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#isRung) {
      this.#isRung = false;
      // What cannot be read may be about anything.
      const ids = await this.#readIds().catch(() => undefined);
      for (const { id, wake } of this.all) if (!ids || id === undefined || ids.has(id)) wake();
    }
    this.#isLooking = false;
  }

  /** Returns what the events since the last look are about; undefined: anything. */
  async #readIds(): Promise<ReadonlySet<string> | undefined> {
    const partnerId = this.#partnerId;
    const after = this.#known;
    const last = (await findLastSequences(this.#db, [partnerId])).get(partnerId) ?? 0n;
    this.#known = last;
    if (after === undefined || last < after || last - after > mostRead) return undefined;
    const found = last === after ? [] : await findObjectsOf(this.#db, [{ partnerId, after, last }], mostRead);
    return new Set(found.map(({ objectId }) => objectId));
  }
}

/** Requests that wait for a transaction to go on. */
export class OperationWaits {
  readonly #ctx: Context;
  readonly #wake: EventWake;
  readonly #closing = new AbortController();
  readonly #waiting = new Map<Uuid, Waiters>();

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
   * is gone. Throws as `getOperation` does, and 429 `rate_limited` when too many requests of the partner wait in this process.
   */
  async get({ principal, id, seconds }: OperationWait, reply: FastifyReply): Promise<Operation> {
    if (seconds === 0) return getOperation(this.#ctx, principal, id);
    if ((this.#waiting.get(principal.partnerId)?.all.size ?? 0) >= waitsOfAPartner) {
      const message = `A partner may have ${waitsOfAPartner} requests waiting at once; send the request without wait, or follow the event stream.`;
      throw tooManyOpen(message, 1);
    }
    return this.#wait({ principal, id, seconds }, reply);
  }

  /** Has a waiter woken by events. Returns what ends that. */
  #add(partnerId: Uuid, waiter: Waiter): () => void {
    const waiters = this.#waiting.get(partnerId) ?? new Waiters(this.#ctx, this.#wake, partnerId);
    this.#waiting.set(partnerId, waiters);
    waiters.all.add(waiter);
    return () => {
      waiters.all.delete(waiter);
      if (waiters.all.size > 0) return;
      waiters.stop();
      this.#waiting.delete(partnerId);
    };
  }

  async #wait({ principal, id, seconds }: OperationWait, reply: FastifyReply): Promise<Operation> {
    const woken = new Wake();
    const waiter: Waiter = { id: undefined, wake: () => woken.wake() };
    const stop = this.#add(principal.partnerId, waiter);
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once('close', leave);
    const endMs = performance.now() + seconds * 1_000;
    try {
      const first = await getOperation(this.#ctx, principal, id);
      waiter.id = first.id;
      let last = first;
      return await untilAny([gone.signal, this.#closing.signal], async (signal) => {
        for (;;) {
          const leftMs = endMs - performance.now();
          if (leftMs <= 0 || signal.aborted || last.status !== first.status || ends.includes(last.status))
            return last;
          await woken.sleep(isAnnounced(last) ? leftMs : Math.min(leftMs, lookEveryMs), signal);
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
