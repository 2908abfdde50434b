import type { Address } from '@solana/kit';
import { noKey } from '../chain/program/wallet.js';
import type { SignerChange } from '../db/indexing/program-events.js';
import { lifetimeBlocks } from '../domain/lifetime.js';
import { readMark } from '../domain/service-signers.js';

/**
 * The service signers that the program had, and when. A key is believed from the change that registered it until the
 * one that took it off, and for the life of a blockhash after that: nothing that is signed later with a stolen retired
 * key is believed.
 */
export class ServiceSigners {
  /** By the number of the change's event, which is the order of the chain. */
  readonly #changes = new Map<bigint, SignerChange>();
  #ordered: SignerChange[] = [];
  /** Keys of the program's configuration as it is now. */
  #current: readonly Address[] = [];

  /** Takes a change of the keys; once more changes nothing. */
  add(change: SignerChange): void {
    this.#changes.set(change.seq, change);
    this.#ordered = [...this.#changes.values()].sort((a, b) => (a.seq < b.seq ? -1 : 1));
  }

  /** Takes the keys of the program's configuration as it is now. */
  setCurrent(keys: readonly Address[]): void {
    this.#current = keys;
  }

  /** Returns every key that is believed in a transaction of `slot`. */
  at(slot: bigint): ReadonlySet<Address> {
    const trusted = new Set<Address>();
    const named = new Set<Address>();
    for (const { slot: from, marks } of this.#ordered) {
      for (const { key, came } of marks.map(readMark)) {
        // One that goes was there, also where its coming is not known; what it signed before it went may still land.
        if (came ? slot >= from : slot <= from + lifetimeBlocks && !named.has(key)) trusted.add(key);
        if (!came && slot > from + lifetimeBlocks) trusted.delete(key);
        named.add(key);
      }
    }
    // A key of which no change is known: the log of its change could not be read, or is still to be.
    for (const key of this.#current) if (!named.has(key)) trusted.add(key);
    return trusted;
  }
}

/** Returns the service signers that the program's hot keys name. */
export function serviceSignersOf({ serviceSigners }: { serviceSigners: readonly Address[] }): Address[] {
  return serviceSigners.filter((key) => key !== noKey);
}
