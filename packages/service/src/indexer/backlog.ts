import type { Address } from '@solana/kit';
import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { findWalkSteps, forgetWalk, keepWalkSteps, reopenWalk } from '../db/indexing/indexer-walks.js';
import { configEvents, findFirstEvent } from '../db/indexing/program-events.js';
import { chunksOf } from '../runtime/chunks.js';
import { inTime } from '../runtime/time.js';
import { decodeFetched } from './decode/decode.js';
import type { DecodeView } from './decode/decode-view.js';
import { floorOf, type Listed, type ListingOptions, LostCursorError, LostStepError } from './listing.js';
import type { Source } from './source.js';
import type { Track, Walk } from './track.js';
import type { Tuning } from './tuning.js';

/** Pages of a history that are listed before they are wanted. */
const stretchesAhead = 4;
/** Pages that wait for their first try before another one is taken: a round's, and what is fetched behind them. */
const pagesAhead = 5;

/** So often a walk goes on from its last step when that was not the beginning; then it starts again at the top. */
const reopenings = 5;

/**
 * Histories that are too long to be listed at once. Each is walked down first, a page at a time, of which the oldest line
 * is kept in the database; then it is read upwards, page by page, so that everything is recorded in its order.
 */
export class Backlog {
  readonly #ctx: Context;
  readonly #tuning: Tuning;
  readonly #source: Source;
  /** Whether the steps are kept for the next process. */
  readonly #keeps: boolean;
  readonly #view: () => DecodeView;
  readonly #reopened = new Map<Address, number>();

  constructor(
    ctx: Context,
    tuning: Tuning,
    source: Source,
    { keeps, view }: { keeps: boolean; view: () => DecodeView },
  ) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#source = source;
    this.#keeps = keeps;
    this.#view = view;
  }

  /** Gives the tracks the walks that an earlier process left behind. */
  async load(tracks: ReadonlyMap<Address, Track>): Promise<void> {
    if (!this.#keeps) return;
    const kept = await inTime(findWalkSteps(this.#ctx.db), this.#tuning.stallMs);
    for (const [address, track] of tracks) {
      const steps = kept.filter((step) => step.address === address);
      const floor = floorOf(track.position, 2n * this.#tuning.overlapSlots);
      if (steps.length > 0) track.resume(steps, floor);
    }
  }

  /** Begins the walk of a listing that is longer than is read at once. */
  async begin(track: Track, steps: Listed[], floor: bigint): Promise<void> {
    this.#ctx.log.info({ address: track.address }, 'a long history is read page by page');
    await this.#keep((tx) => forgetWalk(tx, track.address));
    track.walk = { steps: [], last: false, floor, listedBefore: -1n, ahead: new Map() };
    await this.#add(track, steps);
  }

  /**
   * Goes one stage on: further down, or up by a page, whose lines are returned oldest first, for `climbed` once they are
   * taken. Undefined when there is nothing to take: on the way down, and at the end. Throws a `LostCursorError` when the
   * history ends too early.
   */
  async advance(track: Track, options: ListingOptions): Promise<Listed[] | undefined> {
    try {
      return await this.#advance(track, options);
    } catch (error) {
      if (!(error instanceof LostStepError)) throw error;
      this.#ctx.log.warn({ err: error }, 'the history of an address is walked again from the top');
      await this.#end(track);
      return undefined;
    }
  }

  async #advance(track: Track, options: ListingOptions): Promise<Listed[] | undefined> {
    const { walk, address, position } = track;
    const lowest = walk?.steps.at(-1);
    if (!walk || !lowest) return this.#end(track);
    if (!walk.last) {
      const from = { position, from: lowest, floor: walk.floor };
      const { steps, last } = await this.#source.walkDown(address, from, options);
      await this.#add(track, steps);
      if (last && !position) await this.#requireBeginning(track, options);
      // Only now: whatever ended before that, the proof or the process, the proof is made again.
      if (last) await this.#reachEnd(track);
      return undefined;
    }
    const above = walk.steps.at(-2);
    if (!track.isReady(this.#tuning.laterPages, above ? pagesAhead : 0)) return undefined;
    // The newest page is listed as ever, from a cursor that has come close to it.
    if (!above) return track.position || track.queue.length === 0 ? this.#end(track) : undefined;
    return this.#listAhead(track, walk, options);
  }

  /** Notes that the lines of a page, which `advance` returned, were taken. */
  climbed({ walk }: Track): void {
    if (!walk) return;
    walk.steps.pop();
    // The page above, whose oldest line is known, may hold more of that line's slot; nothing lies between the two pages.
    walk.listedBefore = walk.steps.at(-1)?.slot ?? walk.listedBefore;
  }

  /** Lists what lies behind the last step, and begins to list what will be wanted next. */
  async #listAhead({ address }: Track, walk: Walk, options: ListingOptions): Promise<Listed[]> {
    const next = walk.steps.slice(-1 - stretchesAhead);
    const stretches = next.slice(1).map((down, index) => ({ above: next[index] as Listed, down }));
    for (const stretch of stretches.reverse()) {
      if (walk.ahead.has(stretch.down)) continue;
      const listing = this.#source.listStretch(address, stretch, options);
      // Nobody waits for it yet.
      listing.catch(() => {});
      walk.ahead.set(stretch.down, listing);
    }
    const [first] = stretches;
    if (!first) return [];
    try {
      return await (walk.ahead.get(first.down) as Promise<Listed[]>);
    } finally {
      walk.ahead.delete(first.down);
    }
  }

  /**
   * Throws a `LostCursorError` unless these lines, oldest first, begin where the program did: with event 1 of its
   * configuration. Transactions of strangers before it say nothing.
   */
  async requireBeginningIn(address: Address, lines: Listed[], signal: AbortSignal): Promise<void> {
    if (await this.#beginsIn(lines.slice(0, 1), signal, async () => lines)) return;
    throw lostBeginning(address, lines[0]);
  }

  /** The listing of an address ended before a transaction that names it: it is walked on from where it ended. */
  async reopen(track: Track): Promise<void> {
    const oldest = track.walk?.steps.at(-1) ?? track.queue[0];
    const times = (this.#reopened.get(track.address) ?? 0) + 1;
    this.#reopened.set(track.address, times);
    if (!oldest || times % reopenings === 0) return void (await this.#end(track));
    if (!track.walk) await this.begin(track, [oldest], -1n);
    else {
      track.walk.last = false;
      await this.#keep((tx) => reopenWalk(tx, track.address));
    }
  }

  async #requireBeginning(track: Track, options: ListingOptions): Promise<void> {
    const { walk, address } = track;
    if (!walk || address !== this.#ctx.chain.programAddress) return;
    // From the last page upwards, one at a time, until one shows an event.
    let at = walk.steps.length - 1;
    const next = async (): Promise<Listed[] | undefined> => {
      const [above, down] = [walk.steps[at - 1], walk.steps[at]];
      at -= 1;
      if (above && down) return this.#source.listStretch(address, { above, down }, options);
      return down && (await this.#source.listSince(address, down, { ...options, overlapSlots: 0n })).lines;
    };
    if (await this.#beginsIn(walk.steps.slice(-1), options.signal, next)) return;
    const oldest = walk.steps.at(-1);
    await this.reopen(track);
    throw lostBeginning(address, oldest);
  }

  /**
   * Returns whether a history with this oldest line begins where the program did. `next` gives its lines, oldest first,
   * a part at a time.
   */
  async #beginsIn(
    [oldest]: Listed[],
    signal: AbortSignal,
    next: () => Promise<Listed[] | undefined>,
  ): Promise<boolean> {
    const first = await inTime(findFirstEvent(this.#ctx.db), this.#tuning.stallMs);
    if (first) return oldest !== undefined && oldest.slot <= first.slot;
    let seen: Listed | undefined;
    for (;;) {
      const lines = await next();
      // All there is has been looked through.
      if (!lines || lines.length === 0 || lines[0] === seen) return false;
      seen = lines[0];
      const found = await this.#firstEvents(lines, signal);
      if (found) return found.some(({ partnerId, seq }) => partnerId === configEvents && seq === 1n);
    }
  }

  /** The events of the first of these transactions that has any. */
  async #firstEvents(lines: Listed[], signal: AbortSignal) {
    for (const batch of chunksOf(lines, this.#tuning.fetchSize)) {
      const fetched = await this.#source.fetchTransactions(
        batch.map(({ signature }) => signature),
        signal,
      );
      for (const [index, listed] of batch.entries()) {
        const found = fetched[index];
        if (!found || found.kind === 'unsupported') continue;
        // What failed has no event.
        if (found.kind === 'found' && found.transaction.error !== null) continue;
        const record = await decodeFetched(listed, found, this.#view());
        if (!record) throw new Error(`the node does not give ${listed.signature} yet`);
        if (record.events.length > 0) return record.events;
      }
    }
    return undefined;
  }

  async #add(track: Track, steps: Listed[]): Promise<void> {
    const { walk, address } = track;
    if (!walk) return;
    const page = walk.steps.length;
    const kept = steps.map((step, index) => ({ ...step, address, page: page + index, last: false }));
    await this.#keep((tx) => keepWalkSteps(tx, kept));
    walk.steps.push(...steps);
  }

  /** Notes that nothing that is wanted lies behind the last step. */
  async #reachEnd(track: Track): Promise<void> {
    const { walk, address } = track;
    const lowest = walk?.steps.at(-1);
    if (!walk || !lowest) return;
    const kept = { ...lowest, address, page: walk.steps.length - 1, last: true };
    await this.#keep((tx) => keepWalkSteps(tx, [kept]));
    walk.last = true;
  }

  async #end(track: Track): Promise<undefined> {
    await this.#keep((tx) => forgetWalk(tx, track.address));
    track.walk = undefined;
  }

  /** Writes for the next process. */
  async #keep(write: (tx: Tx) => Promise<void>): Promise<void> {
    if (this.#keeps) await inTime(this.#ctx.db.transaction(write), this.#tuning.stallMs);
  }
}

function lostBeginning(address: Address, oldest: Listed | undefined): LostCursorError {
  const where = oldest ? `with ${oldest.signature} in slot ${oldest.slot}` : 'nowhere';
  return new LostCursorError(
    `The node's history of ${address} does not reach back to its beginning: it begins ${where}.`,
  );
}
