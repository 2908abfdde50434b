import type { Address } from '@solana/kit';
import { noKey } from '../chain/program/wallet.js';
import type { ServiceSignerSet } from '../db/indexing/program-events.js';
import { lifetimeBlocks } from '../domain/lifetime.js';

/**
 * The service signers that the program had, and when. A key is believed from the change that registered it until the
 * one that took it off, and for the life of a blockhash after that: nothing that is signed later with a stolen retired
 * key is believed.
 */
export class ServiceSigners {
  /** By the number of the change's event, which is the order of the chain. */
  readonly #sets = new Map<bigint, ServiceSignerSet>();
  #ordered: ServiceSignerSet[] = [];
  /** Keys of the program's configuration as it is now. */
  #current: readonly Address[] = [];

  /** Takes a change of the keys; once more changes nothing. */
  add(set: ServiceSignerSet): void {
    this.#sets.set(set.seq, set);
    this.#ordered = [...this.#sets.values()].sort((a, b) => (a.seq < b.seq ? -1 : 1));
  }

  /** Takes the keys of the program's configuration as it is now. */
  setCurrent(keys: readonly Address[]): void {
    this.#current = keys;
  }

  /** Returns every key that is believed in a transaction of `slot`. */
  at(slot: bigint): ReadonlySet<Address> {
    const trusted = new Set<Address>();
    const named = new Set<string>();
    for (const [index, { seq, slot: from, signers }] of this.#ordered.entries()) {
      // Of what was before the first change that is known, only this is known.
      const isFirst = index === 0 && seq > 1n;
      const next = this.#ordered[index + 1];
      // What it signed before it was retired may still land.
      const isOver = next !== undefined && slot > next.slot + lifetimeBlocks;
      for (const signer of signers) {
        named.add(signer);
        if ((isFirst || slot >= from) && !isOver) trusted.add(signer);
      }
    }
    // A key of which no change is known: the log of its change could not be read, or is still to be.
    for (const key of this.#current) if (!named.has(key)) trusted.add(key);
    return trusted;
  }
}

/** Returns the service signers that settings name. */
export function serviceSignersOf({ serviceSigners }: { serviceSigners: readonly Address[] }): Address[] {
  return serviceSigners.filter((key) => key !== noKey);
}
