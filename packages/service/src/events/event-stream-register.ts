import type { Context } from '../context.js';
import {
  deleteEventStreams,
  type NewStream,
  openEventStreams,
  renewEventStreams,
  type StreamOpening,
} from '../db/events/event-streams.js';
import { newUuid, type Uuid } from '../domain/ids.js';
import type { Principal } from '../domain/principal.js';
import { Batcher } from '../runtime/batcher.js';
import { pause } from '../runtime/time.js';

/** Streams that a key may have open at once, over all processes. */
export const streamsOfAKey = 5;
/** Streams that all keys of a partner may have open at once, likewise. */
export const streamsOfAPartner = 50;

const limits = { ofKey: streamsOfAKey, ofPartner: streamsOfAPartner };
/** How often, and how far apart in milliseconds, an opening is tried while another process opens a stream of the partner. */
const tries = 40;
const tryAgainMs = 50;

/**
 * The streams of events that are open, as the database knows them, so that limits hold over all processes. However many are
 * opened and closed, each of the two takes up one connection of this process, and neither waits for a lock.
 */
export class EventStreamRegister {
  readonly #ctx: Pick<Context, 'db'>;
  readonly #openings: Batcher<NewStream, StreamOpening>;
  readonly #closings: Batcher<Uuid, void>;

  constructor(ctx: Pick<Context, 'db'>) {
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

  /** Notes that a key opens a stream, and returns its id, or whose limit is reached; `busy`: others open streams all the time. */
  async open({
    partnerId,
    keyId,
  }: Pick<Principal, 'partnerId' | 'keyId'>): Promise<
    { id: Uuid } | { limitOf: 'key' | 'partner' } | 'busy'
  > {
    const id = newUuid();
    for (let tried = 1; ; tried += 1) {
      const opening = await this.#openings.add({ id, keyId, partnerId });
      if (opening === 'opened') return { id };
      if (opening !== 'busy') return { limitOf: opening };
      if (tried === tries) return 'busy';
      await pause(tryAgainMs * (0.5 + Math.random()), undefined);
    }
  }

  /** Notes that streams are still open, and returns those whose key is still good. */
  async renew(ids: readonly Uuid[]): Promise<Set<Uuid>> {
    if (ids.length === 0) return new Set();
    return this.#ctx.db.transaction((tx) => renewEventStreams(tx, ids));
  }

  close(id: Uuid): Promise<void> {
    return this.#closings.add(id);
  }
}
