import type { Address, Signature } from '@solana/kit';
import type { Cursor } from '../db/indexing/indexer-cursors.js';
import type { Comparison } from './fetching.js';
import type { Listed, Position } from './listing.js';

/** A listed transaction on its way into the database. */
export interface Entry extends Listed {
  done: boolean;
  /** Real time of the first fetch that did not find it, by the monotonic clock. */
  missingSinceMs: number | undefined;
  nextTryMs: number;
  tries: number;
  /** Whether it has waited a round for the program to list it. */
  heldBack: boolean;
  /** Set when two nodes have to say what it did. */
  comparison: Comparison | undefined;
}

/** Every transaction that was listed lately, shared by the addresses that list it. */
export class Entries {
  readonly #bySignature = new Map<Signature, Entry>();

  get(signature: Signature): Entry | undefined {
    return this.#bySignature.get(signature);
  }

  add(listed: Listed): Entry {
    const entry: Entry = {
      ...listed,
      done: false,
      missingSinceMs: undefined,
      nextTryMs: 0,
      tries: 0,
      heldBack: false,
      comparison: undefined,
    };
    this.#bySignature.set(listed.signature, entry);
    return entry;
  }

  /** Gives an entry the place in its slot that it would have if it were added now. */
  putLast(entry: Entry): void {
    this.#bySignature.delete(entry.signature);
    this.#bySignature.set(entry.signature, entry);
  }

  /** Returns those not handled yet, oldest first. */
  waiting(): Entry[] {
    const waiting = [...this.#bySignature.values()].filter(({ done }) => !done);
    return waiting.sort(bySlot);
  }

  /** Forgets what is handled and so old that no listing shows it again; an address without news shows old ones for ever. */
  forgetBefore(slot: bigint, showsAgain: (entry: Entry) => boolean): void {
    for (const [signature, entry] of this.#bySignature) {
      if (entry.done && entry.slot < slot && !showsAgain(entry)) this.#bySignature.delete(signature);
    }
  }
}

/** The way through a history that is too long to be listed at once: down to where it is to be read from, and up again. */
export interface Walk {
  /** The oldest line of each page, newest first. Those that were read on the way up are gone. */
  steps: Listed[];
  /** Whether the way down is over. */
  last: boolean;
  /** What the way down leads to, in slots. */
  floor: bigint;
  /** The slot before which everything was listed on the way up; -1 before the first page. */
  listedBefore: bigint;
  /** What is being listed before it is wanted, by the step at which it ends. */
  ahead: Map<Listed, Promise<Listed[]>>;
}

/** One followed address: where its cursor stands and what was listed beyond it, oldest first. */
export class Track {
  readonly address: Address;
  /** A treasury token account, whose signature proves nothing. */
  readonly treasury: boolean;
  position: Position;
  /** Set while its history is read page by page. */
  walk: Walk | undefined;
  #queue: Entry[] = [];
  readonly #queued = new Set<Entry>();
  /** What the last listing showed at the cursor and before it: the next one will show it again. */
  #behind = new Set<Entry>();

  constructor(address: Address, position: Position, treasury = false) {
    this.address = address;
    this.position = position;
    this.treasury = treasury;
  }

  /**
   * Takes a listing, oldest first. What is new comes behind the cursor; no cursor waits for what comes late. `ordered`: it
   * gives the order within a slot, including that of entries which another address listed before.
   */
  take(listing: Listed[], entries: Entries, ordered = false): void {
    const at = listing.findIndex(({ signature }) => signature === this.position?.signature);
    const behind = new Set<Entry>();
    listing.forEach((listed, index) => {
      const news = at >= 0 ? index > at : !this.position || listed.slot > this.position.slot;
      const known = entries.get(listed.signature);
      if (!news) {
        const entry = known ?? entries.add(listed);
        // The cursor stands at it because it is handled.
        if (!known && index === at) entry.done = true;
        behind.add(entry);
      } else if (!known || !this.#queued.has(known)) {
        const entry = known ?? entries.add(listed);
        if (known && ordered) entries.putLast(known);
        this.#queue.push(entry);
        this.#queued.add(entry);
      }
    });
    if (behind.size > 0) this.#behind = behind;
    this.#queue.sort(bySlot);
  }

  /**
   * Returns whether the next listing will show this entry again: before the cursor, or beyond one that has not moved
   * yet.
   */
  showsAgain(entry: Entry): boolean {
    return this.#behind.has(entry) || this.#queued.has(entry);
  }

  /** Takes up a walk where an earlier process left it. What lies well before the cursor was read by that. */
  resume(kept: readonly (Listed & { last: boolean })[], floor: bigint): void {
    const last = kept.at(-1)?.last ?? false;
    const low = last ? kept.findIndex(({ slot }) => slot < floor) : -1;
    const steps = (low < 0 ? kept : kept.slice(0, low + 1)).map(({ signature, slot }) => ({
      signature,
      slot,
    }));
    this.walk = { steps, last, floor, listedBefore: -1n, ahead: new Map() };
  }

  /**
   * Returns the slot in which the history begins, as listed; undefined where a cursor shows that the history has been
   * read.
   */
  beginsAt(): bigint | undefined {
    if (this.position || this.walk?.last === false) return undefined;
    const [queued, step] = [this.#queue[0]?.slot, this.walk?.steps.at(-1)?.slot];
    return queued === undefined || (step !== undefined && step < queued) ? step : queued;
  }

  /**
   * Returns whether the next page, of `lines` lines, may be listed: no more than `ahead` such pages wait for their first
   * try, and twice as many and one in all. What a node does not know yet holds up little.
   */
  isReady(lines: number, ahead: number): boolean {
    const newest = this.#queue.at(-1)?.slot ?? -1n;
    // The next page may show more of the newest slot, which is taken with that.
    const inHand = this.#queue.filter(({ slot }) => slot < newest);
    const untried = inHand.filter(({ done, tries }) => !done && tries === 0);
    return untried.length <= ahead * lines && inHand.length < (2 * ahead + 1) * lines;
  }

  /** Returns what lies beyond the cursor. */
  get queue(): readonly Entry[] {
    return this.#queue;
  }

  /** Returns whether a listing has shown it, or has come further than it lies. */
  hasReached(entry: Entry): boolean {
    return this.#queued.has(entry) || (this.position !== undefined && entry.slot <= this.position.slot);
  }

  /**
   * Returns where the cursor may stand once `handled` is done: behind the last transaction before which nothing waits.
   * Undefined when it does not move.
   */
  reach(handled: ReadonlySet<Entry>): (Cursor & Listed) | undefined {
    let reached: Listed | undefined;
    for (const entry of this.#queue) {
      if (!entry.done && !handled.has(entry)) break;
      reached = entry;
    }
    const { address, treasury } = this;
    return reached && { address, treasury, signature: reached.signature, slot: reached.slot };
  }

  /** Moves the cursor to where `reach` saw it, after that is written. */
  advance({ signature, slot }: Listed): void {
    const index = this.#queue.findIndex((entry) => entry.signature === signature);
    for (const entry of this.#queue.splice(0, index + 1)) this.#queued.delete(entry);
    this.position = { signature, slot };
  }
}

/** By slot; within one in the order given, as sorting is stable. */
function bySlot(a: Listed, b: Listed): number {
  return a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0;
}
