import type { AccountState } from './account.js';

/** What an account held until a slot changed it; undefined: it did not exist. */
interface Before {
  slot: number;
  state: AccountState | undefined;
}

/** What accounts held before the slots that are not final yet, so that each commitment is read as of its own slot. */
export class EarlierStates {
  readonly #before = new Map<string, Before[]>();

  /** Notes what an account held when a transaction in `slot` changed it. */
  note(address: string, state: AccountState | undefined, slot: number): void {
    const known = this.#before.get(address);
    if (!known) this.#before.set(address, [{ slot, state }]);
    else if (known.at(-1)?.slot !== slot) known.push({ slot, state });
  }

  /** Returns what the bank of `slot` holds for an account that has changed since; undefined when it has not. */
  find(address: string, slot: number): Before | undefined {
    return this.#before.get(address)?.find((before) => before.slot > slot);
  }

  /** Returns every account that has changed since `slot`, and what it held then. */
  *since(slot: number): Iterable<[address: string, state: AccountState | undefined]> {
    for (const address of this.#before.keys()) {
      const before = this.find(address, slot);
      if (before) yield [address, before.state];
    }
  }

  /** Makes the current state of an account its state at every commitment. */
  forget(address: string): void {
    this.#before.delete(address);
  }

  /** Forgets what is of no use to any commitment once `finalized` is final. */
  prune(finalized: number): void {
    for (const [address, known] of this.#before) {
      if ((known[0]?.slot ?? 0) > finalized) continue;
      const useful = known.filter(({ slot }) => slot > finalized);
      if (useful.length === 0) this.#before.delete(address);
      else if (useful.length < known.length) this.#before.set(address, useful);
    }
  }

  /** Returns what goes back to this moment, as often as it is called. */
  mark(): () => void {
    const before = [...this.#before].map(([address, known]) => [address, [...known]] as const);
    return () => {
      this.#before.clear();
      for (const [address, known] of before) this.#before.set(address, [...known]);
    };
  }
}
