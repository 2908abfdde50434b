import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  closeEventStream,
  openEventStream,
  renewOpenStreams,
  streamsOfAKey,
} from '../../actions/events/open-event-stream.js';
import type { Context } from '../../context.js';
import { type Event, findEvents } from '../../db/events/events.js';
import type { EventType } from '../../domain/event.js';
import type { Uuid } from '../../domain/ids.js';
import type { Principal } from '../../domain/principal.js';
import { AppError, unavailable } from '../../errors.js';
import type { EventWake } from '../../runtime/event-wake.js';
import { pause } from '../../runtime/time.js';
import { Wake } from '../../runtime/wake.js';
import { toEventView } from '../views/event-view.js';

/** A comment shows both sides that the connection lives. */
const commentEveryMs = 15_000;
/** How often the streams of this process are renewed; they lapse after 30 s. */
const renewEveryMs = 5_000;
const eventsPerRead = 100;
const readAgainMs = 1_000;

/** What a stream shows, and from where on. */
export interface StreamStart {
  principal: Principal;
  after: bigint;
  types: readonly EventType[] | undefined;
}

interface OpenStream {
  id: Uuid;
  end: AbortController;
}

/** The streams of events that this process has open. */
export class EventStreams {
  readonly #ctx: Context;
  readonly #wake: EventWake;
  readonly #open = new Map<Uuid, OpenStream>();
  #closing = false;

  constructor(ctx: Context, wake: EventWake) {
    this.#ctx = ctx;
    this.#wake = wake;
  }

  /**
   * Opens a stream of server-sent events. It ends when its caller goes, when the key is revoked or its partner suspended, and
   * in order when this process stops. Throws 429 `rate_limited` for the sixth of a key, in whichever processes the others are.
   */
  async open(reply: FastifyReply, start: StreamStart): Promise<Readable> {
    const id = await openEventStream(this.#ctx, start.principal.keyId);
    if (id === undefined) {
      reply.header('retry-after', '30');
      const message = `A key may have ${streamsOfAKey} streams of events open at once; close one first.`;
      throw new AppError('rate_limited', message);
    }
    const stream = { id, end: new AbortController() };
    this.#open.set(id, stream);
    reply.raw.once('close', () => void this.#forget(stream));
    // Those who went meanwhile are not reported as going.
    if (reply.raw.destroyed || this.#closing) await this.#forget(stream);
    if (this.#closing) throw unavailable('The service is shutting down.');
    return Readable.from(this.#frames(stream, start), { objectMode: false });
  }

  /** Ends all streams when the application closes, and renews them while it runs. */
  attach(app: FastifyInstance): void {
    const timer = setInterval(() => void this.#renew(), renewEveryMs).unref();
    app.addHook('preClose', async () => {
      this.#closing = true;
      clearInterval(timer);
      for (const { end } of this.#open.values()) end.abort();
    });
  }

  async *#frames(stream: OpenStream, { principal, after, types }: StreamStart): AsyncGenerator<string> {
    const { signal } = stream.end;
    const woken = new Wake();
    const stop = this.#wake.of(principal.partnerId, () => woken.wake());
    try {
      yield `: these are the events of your log\n${await this.#positionOf(principal.partnerId, after)}\n`;
      let commentedMs = performance.now();
      for (let last = after; !signal.aborted; ) {
        const found = await this.#read(principal.partnerId, last, signal);
        last = found.at(-1)?.sequence ?? last;
        const shown = found.filter(({ type }) => !types || types.includes(type));
        if (shown.length > 0) yield shown.map(frameOf).join('');
        if (found.some(mayEndStreams)) await this.#renew();
        if (found.length === eventsPerRead || signal.aborted) continue;
        const leftMs = commentedMs + commentEveryMs - performance.now();
        if (leftMs > 0) await woken.sleep(leftMs, signal);
        if (performance.now() - commentedMs < commentEveryMs) continue;
        yield ': still here\n\n';
        commentedMs = performance.now();
      }
    } finally {
      stop();
      await this.#forget(stream);
    }
  }

  /** Returns the line by which a client resumes where it began, before any event has come; none if there was no event. */
  async #positionOf(partnerId: Uuid, sequence: bigint): Promise<string> {
    const range = { after: sequence - 1n, limit: 1 };
    const [event] = await findEvents(this.#ctx.db, partnerId, {}, range).catch(() => []);
    return event?.sequence === sequence ? `id: ${event.id}\n` : '';
  }

  /** Reads what comes behind a number. A database that fails is asked again: whoever follows would only do the same. */
  async #read(partnerId: Uuid, after: bigint, signal: AbortSignal): Promise<Event[]> {
    for (;;) {
      try {
        return await findEvents(this.#ctx.db, partnerId, {}, { after, limit: eventsPerRead });
      } catch (err) {
        if (signal.aborted) return [];
        this.#ctx.log.warn({ err }, 'a stream of events cannot be read and tries again');
        await pause(readAgainMs, signal);
      }
    }
  }

  /** Renews the streams of this process, and ends those whose key is good no more. */
  async #renew(): Promise<void> {
    const ids = [...this.#open.keys()];
    try {
      const good = await renewOpenStreams(this.#ctx, ids);
      for (const id of ids) if (!good.has(id)) this.#open.get(id)?.end.abort();
    } catch (err) {
      this.#ctx.log.warn({ err }, 'the streams of events were not renewed');
    }
  }

  async #forget({ id, end }: OpenStream): Promise<void> {
    end.abort();
    if (!this.#open.delete(id)) return;
    await closeEventStream(this.#ctx, id).catch((err: unknown) =>
      this.#ctx.log.warn({ err }, 'a stream of events was not closed and lapses by itself'),
    );
  }
}

function frameOf(event: Event): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(toEventView(event))}\n\n`;
}

/** Whether an event may be the end of somebody's access. */
function mayEndStreams({ type }: Event): boolean {
  return type === 'api_key.revoked' || type === 'partner.suspended';
}
