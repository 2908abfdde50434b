import type { Address, Signature } from '@solana/kit';
import type { Cursor } from '../db/indexer-cursors.js';
import type { Listed, Position } from './source.js';

/** A listed transaction on its way into the database. */
export interface Entry extends Listed {
  done: boolean;
  /** Real time of the first fetch that did not find it, by the monotonic clock. */
  missingSinceMs: number | undefined;
  nextTryMs: number;
  tries: number;
  /** Whether it has waited a round for the program to list it. */
  heldBack: boolean;
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
    };
    this.#bySignature.set(listed.signature, entry);
    return entry;
  }

  /** Gives an entry the place in its slot that it would have if it were added now. */
  putLast(entry: Entry): void {
    this.#bySignature.delete(entry.signature);
    this.#bySignature.set(entry.signature, entry);
  }

  /** Those not handled yet, oldest first. */
  waiting(): Entry[] {
    const waiting = [...this.#bySignature.values()].filter(({ done }) => !done);
    return waiting.sort(bySlot);
  }

  /** Forgets what is handled and so old that no overlap shows it again. */
  forgetBefore(slot: bigint): void {
    for (const [signature, entry] of this.#bySignature) {
      if (entry.done && entry.slot < slot) this.#bySignature.delete(signature);
    }
  }
}

/** One followed address: where its cursor stands and what was listed beyond it, oldest first. */
export class Track {
  readonly address: Address;
  /** A token account of the house: nobody whose word is believed. */
  readonly house: boolean;
  position: Position;
  #queue: Entry[] = [];
  readonly #queued = new Set<Entry>();

  constructor(address: Address, position: Position, house = false) {
    this.address = address;
    this.position = position;
    this.house = house;
  }

  /**
   * Takes a listing, oldest first. What is new comes behind the cursor; no cursor waits for what comes late. `ordered`: it
   * tells the order within a slot, also of what another address listed before.
   */
  take(listing: Listed[], entries: Entries, ordered = false): void {
    const at = listing.findIndex(({ signature }) => signature === this.position?.signature);
    listing.forEach((listed, index) => {
      const news = at >= 0 ? index > at : !this.position || listed.slot > this.position.slot;
      const known = entries.get(listed.signature);
      if (!news) {
        if (!known) entries.add(listed);
      } else if (!known || !this.#queued.has(known)) {
        const entry = known ?? entries.add(listed);
        if (known && ordered) entries.putLast(known);
        this.#queue.push(entry);
        this.#queued.add(entry);
      }
    });
    this.#queue.sort(bySlot);
  }

  /** What lies beyond the cursor. */
  get queue(): readonly Entry[] {
    return this.#queue;
  }

  /** Whether a listing has shown it, or has come further than it lies. */
  hasReached(entry: Entry): boolean {
    return this.#queued.has(entry) || (this.position !== undefined && entry.slot <= this.position.slot);
  }

  /**
   * Where the cursor may stand once `handled` is done: behind the last transaction before which nothing waits. Undefined
   * when it does not move.
   */
  reach(handled: ReadonlySet<Entry>): Cursor | undefined {
    let reached: Listed | undefined;
    for (const entry of this.#queue) {
      if (!entry.done && !handled.has(entry)) break;
      reached = entry;
    }
    const { address, house } = this;
    return reached && { address, house, signature: reached.signature, slot: reached.slot };
  }

  /** Moves the cursor to where `reach` saw it, after that is written. */
  advance(cursor: Cursor): void {
    const index = this.#queue.findIndex(({ signature }) => signature === cursor.signature);
    for (const entry of this.#queue.splice(0, index + 1)) this.#queued.delete(entry);
    this.position = { signature: cursor.signature as Signature, slot: cursor.slot };
  }
}

/** By slot; within one in the order given, as sorting is stable. */
function bySlot(a: Listed, b: Listed): number {
  return a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0;
}
