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
    const from = this.newest;
    const fromSeconds = from < 0 ? seconds : this.newestSeconds;
    const step = (seconds - fromSeconds) / (slot - from);
    for (let next = Math.max(from + 1, slot - this.#slotsMax + 1); next <= slot; next += 1) {
      if (next > this.newest + 1) this.load(next, []);
      this.#seconds.push(Math.floor(fromSeconds + step * (next - from)));
    }
    // Cut rarely and much, since each cut copies the list.
    if (this.#seconds.length > this.#slotsMax * 1.1) {
      this.load(this.newest - this.#slotsMax + 1, this.#seconds.slice(-this.#slotsMax));
    }
  }

  load(first: number, seconds: number[]): void {
    this.#first = first;
    this.#seconds = seconds;
  }

  /** Layout: first slot f64, then one f64 (Unix seconds) a slot. */
  encode(): Buffer {
    const all = new Float64Array(this.#seconds.length + 1);
    all[0] = this.#first;
    all.set(this.#seconds, 1);
    return Buffer.from(all.buffer);
  }

  /** Reads what `encode` wrote. */
  decode(bytes: Uint8Array): void {
    // Copied first: a view of a file's bytes need not be aligned to 8.
    const all = [...new Float64Array(Uint8Array.from(bytes).buffer)];
    this.load(all[0] ?? 0, all.slice(1));
  }
}
