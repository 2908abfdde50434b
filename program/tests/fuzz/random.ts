import { U64_MAX } from '../numbers.js';

/** Pseudo-random choices from a seed (SplitMix64, the upper half). */
export class Random {
  private state: bigint;

  constructor(seed: number) {
    this.state = BigInt(seed >>> 0);
  }

  /** An integer from 0 on, below that. */
  below(limit: number): number {
    this.state = (this.state + 0x9e3779b97f4a7c15n) & U64_MAX;
    let mixed = ((this.state ^ (this.state >> 30n)) * 0xbf58476d1ce4e5b9n) & U64_MAX;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & U64_MAX;
    return Number((mixed ^ (mixed >> 31n)) >> 32n) % limit;
  }

  /** True once in so many times. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  /** An amount around `whole`: mostly a small part of it, seldom all of it, a little more, or any other number. */
  amount(whole: bigint): bigint {
    const kind = this.below(20);
    if (kind === 0) return whole;
    if (kind === 1) return whole + 1n;
    if (kind === 2) return this.pick([0n, 1n, U64_MAX]);
    return (whole * BigInt(this.below(1_000_000))) / 20_000_000n + 1n;
  }
}
