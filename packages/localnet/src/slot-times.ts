/** The time of every block of the window, as Unix seconds; slots are consecutive. */
export class SlotTimes {
  readonly #slotsMax: number;
  #first = 0;
  #seconds: number[] = [];

  constructor(slotsMax: number) {
    this.#slotsMax = slotsMax;
  }

  /** Oldest slot whose time is known. */
  get first(): number {
    return this.#first;
  }

  /** Newest slot whose time is known; -1 before the first. */
  get newest(): number {
    return this.#first + this.#seconds.length - 1;
  }

  get newestSeconds(): number {
    return this.#seconds[this.#seconds.length - 1] ?? 0;
  }

  at(slot: number): number | undefined {
    return this.#seconds[slot - this.#first];
  }

  /** Adds the slots up to `slot`; those in between are spread evenly up to `seconds`. */
  advanceTo(slot: number, seconds: number): void {
    if (this.#seconds.length === 0) this.#load(slot, [seconds]);
    const from = this.newest;
    const fromSeconds = this.newestSeconds;
    const step = (seconds - fromSeconds) / (slot - from);
    for (let next = Math.max(from + 1, slot - this.#slotsMax + 1); next <= slot; next += 1) {
      if (next > this.newest + 1) this.#load(next, []);
      this.#seconds.push(Math.floor(fromSeconds + step * (next - from)));
    }
    // Cut rarely and much, since each cut copies the list.
    if (this.#seconds.length > this.#slotsMax * 1.1) {
      this.#load(this.newest - this.#slotsMax + 1, this.#seconds.slice(-this.#slotsMax));
    }
  }

  /** Forgets the slots behind `slot`. */
  goBackTo(slot: number): void {
    this.#seconds.length = slot - this.#first + 1;
  }

  #load(first: number, seconds: number[]): void {
    this.#first = first;
    this.#seconds = seconds;
  }
}
