import type { Context } from '../context.js';
import {
  deleteEventStreams,
  type NewStream,
  openEventStreams,
  renewEventStreams,
  type StreamCaller,
  type StreamOpening,
} from '../db/events/event-streams.js';
import { newUuid, type Uuid } from '../domain/ids.js';
import { sessionTimesAt } from '../domain/session.js';
import { Batcher } from '../runtime/batcher.js';
import { pause } from '../runtime/time.js';

/** Streams that a key, or a member, may have open at once, over all processes. */
export const streamsOfACaller = 5;
/** Streams that all keys and members of a partner may have open at once, likewise. */
export const streamsOfAPartner = 50;

const limits = { ofCaller: streamsOfACaller, ofPartner: streamsOfAPartner };
/** How often, and how far apart in milliseconds, an opening is tried while another process opens a stream of the partner. */
const tries = 40;
const tryAgainMs = 50;

/**
 * The streams of events that are open, as the database knows them, so that limits hold over all processes. However many are
 * opened and closed, each of the two takes up one connection of this process, and neither waits for a lock.
 */
export class EventStreamRegister {
  readonly #ctx: Pick<Context, 'clock' | 'db'>;
  readonly #openings: Batcher<NewStream, StreamOpening>;
  readonly #closings: Batcher<Uuid, void>;

  constructor(ctx: Pick<Context, 'clock' | 'db'>) {
    this.#ctx = ctx;
    this.#openings = new Batcher({
      run: (streams) => ctx.db.transaction((tx) => openEventStreams(tx, streams, limits)),
    });
    this.#closings = new Batcher({
      run: async (ids) => {
        await ctx.db.transaction((tx) => deleteEventStreams(tx, ids));
        return [];
      },
    });
  }

  /** Notes that a stream is opened, and returns its id, or whose limit is reached; `busy`: others open streams all the time. */
  async open(
    caller: { partnerId: Uuid } & StreamCaller,
  ): Promise<{ id: Uuid } | { limitOf: 'caller' | 'partner' } | 'busy'> {
    const id = newUuid();
    for (let tried = 1; ; tried += 1) {
      const opening = await this.#openings.add({ id, ...caller });
      if (opening === 'opened') return { id };
      if (opening !== 'busy') return { limitOf: opening };
      if (tried === tries) return 'busy';
      await pause(tryAgainMs * (0.5 + Math.random()), undefined);
    }
  }

  /** Notes that streams are still open, and returns those whose key or session is still good. */
  async renew(ids: readonly Uuid[]): Promise<Set<Uuid>> {
    if (ids.length === 0) return new Set();
    const times = sessionTimesAt(this.#ctx.clock.now());
    return this.#ctx.db.transaction((tx) => renewEventStreams(tx, ids, times));
  }

  close(id: Uuid): Promise<void> {
    return this.#closings.add(id);
  }
}
