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
    };
    this.#bySignature.set(listed.signature, entry);
    return entry;
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

  constructor(address: Address, position: Position, house = false) {
    this.address = address;
    this.position = position;
    this.house = house;
  }

  /** Takes a listing, oldest first. What is new comes behind the cursor; no cursor waits for what comes late. */
  take(listing: Listed[], entries: Entries): void {
    const at = listing.findIndex(({ signature }) => signature === this.position?.signature);
    const queued = new Set(this.#queue);
    listing.forEach((listed, index) => {
      const news = at >= 0 ? index > at : !this.position || listed.slot > this.position.slot;
      const known = entries.get(listed.signature);
      if (!news) {
        if (!known) entries.add(listed);
      } else if (!known || !queued.has(known)) {
        this.#queue.push(known ?? entries.add(listed));
      }
    });
    this.#queue.sort(bySlot);
  }

  /** What lies beyond the cursor. */
  get queue(): readonly Entry[] {
    return this.#queue;
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
    this.#queue.splice(0, index + 1);
    this.position = { signature: cursor.signature as Signature, slot: cursor.slot };
  }
}

/** By slot; within one in the order given, as sorting is stable. */
function bySlot(a: Listed, b: Listed): number {
  return a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0;
}
