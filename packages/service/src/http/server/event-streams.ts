import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../../context.js';
import type { StreamCaller } from '../../db/events/event-streams.js';
import { type Event, findEvents } from '../../db/events/events.js';
import type { EventType } from '../../domain/event.js';
import type { Uuid } from '../../domain/ids.js';
import {
  EventStreamRegister,
  streamsOfACaller,
  streamsOfAPartner,
} from '../../events/event-stream-register.js';
import { withObjects, withoutSecrets } from '../../events/partner-events.js';
import type { LogPlace } from '../../events/read-events.js';
import { type Lane, laneInHand } from '../../runtime/lanes.js';
import { pause } from '../../runtime/time.js';
import { Wake } from '../../runtime/wake.js';
import { toEventView } from '../../views/event-view.js';
import { commentEveryMs, type OpenStream, OpenStreams, tooManyOpen } from './open-streams.js';

const eventsPerRead = 100;
const readAgainMs = 1_000;

/** What a stream shows, and from where on. */
export interface StreamStart {
  caller: { partnerId: Uuid } & StreamCaller;
  start: LogPlace;
  types: readonly EventType[] | undefined;
}

/** The streams of events that this process has open. */
export class EventStreams {
  readonly #ctx: Context;
  readonly #register: EventStreamRegister;
  readonly #streams: OpenStreams;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#register = new EventStreamRegister(ctx);
    this.#streams = new OpenStreams(ctx, this.#register);
  }

  /**
   * Opens a stream of server-sent events. It ends when its caller goes, when the key is revoked or its partner suspended, and
   * in order when this process stops. Throws 429 `rate_limited` beyond the limits of a key and of its partner, counted over
   * all processes.
   */
  async open(reply: FastifyReply, start: StreamStart): Promise<Readable> {
    const openedMs = this.#ctx.clock.now();
    const opened = await this.#register.open(start.caller);
    if (opened === 'busy') throw tooManyOpen('Other streams of yours are being opened; try again in 1 s.', 1);
    if ('limitOf' in opened) {
      const [owner, most] =
        opened.limitOf === 'caller' ? ['key or member', streamsOfACaller] : ['partner', streamsOfAPartner];
      throw tooManyOpen(`A ${owner} may have ${most} streams of events open at once; close one first.`);
    }
    const lane = laneInHand();
    return this.#streams.open(reply, opened.id, (stream) => this.#frames(stream, start, lane, openedMs));
  }

  /** Ends all streams when the application closes, and renews them while it runs. */
  attach(app: FastifyInstance): void {
    this.#streams.attach(app);
  }

  /**
   * @param lane that of the partner, in which the stream reads.
   * @param openedMs since the Unix epoch; what happened before ends no stream whose key was good then.
   */
  async *#frames(
    stream: OpenStream,
    { caller, start, types }: StreamStart,
    lane: Lane | undefined,
    openedMs: number,
  ): AsyncGenerator<string> {
    const { signal } = stream.end;
    const read = (after: bigint) => this.#read(caller, after, signal);
    const woken = new Wake();
    const stop = this.#ctx.feed.follow({ partnerId: caller.partnerId }, () => woken.wake());
    try {
      // By the id a client resumes where it began, before any event has come.
      yield `: these are the events of your log\nid: ${start.position}\n\n`;
      let commentedMs = performance.now();
      for (let last = start.sequence; ; ) {
        // What ends a stream may be an event of it, which is sent before it ends.
        const ends = signal.aborted;
        const found = await (lane ? lane.run(() => read(last)) : read(last));
        last = found.at(-1)?.sequence ?? last;
        const shown = found.filter(({ type }) => !types || types.includes(type));
        // The end of a session, or of its member, is no event of the partner.
        if ('memberId' in caller && shown.length > 0) {
          await this.#streams.renew();
          if (signal.aborted) return;
        }
        if (shown.length > 0) yield shown.map(frameOf).join('');
        if (ends) return;
        // A log that is read again from its start has all streams of this process renewed for nothing.
        if (found.some((event) => event.createdAt.getTime() >= openedMs && mayEndStreams(event)))
          await this.#streams.renew();
        if (found.length === eventsPerRead || signal.aborted) continue;
        const leftMs = commentedMs + commentEveryMs - performance.now();
        if (leftMs > 0) await woken.sleep(leftMs, signal);
        if (performance.now() - commentedMs < commentEveryMs) continue;
        yield ': still here\n\n';
        commentedMs = performance.now();
      }
    } finally {
      stop();
    }
  }

  /** Reads what comes behind a number. A database that fails is queried again: its reader would only do the same. */
  async #read(caller: StreamStart['caller'], after: bigint, signal: AbortSignal): Promise<Event[]> {
    for (;;) {
      try {
        const found = await findEvents(this.#ctx.db, caller.partnerId, {}, { after, limit: eventsPerRead });
        const shown = await withObjects(this.#ctx, found);
        return 'keyId' in caller ? shown : shown.map(withoutSecrets);
      } catch (err) {
        if (signal.aborted) return [];
        this.#ctx.log.warn({ err }, 'a stream of events cannot be read and tries again');
        await pause(readAgainMs, signal);
      }
    }
  }
}

function frameOf(event: Event): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(toEventView(event))}\n\n`;
}

/** Whether an event may be the end of somebody's access. */
function mayEndStreams({ type }: Event): boolean {
  return type === 'api_key.revoked' || type === 'partner.suspended';
}
