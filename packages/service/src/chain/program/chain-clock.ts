import { type Address, address, type Base64EncodedDataResponse } from '@solana/kit';
import type { Clock } from '../../clock.js';
import { toInteger } from '../../domain/integer.js';

/** An account as the node gave it. */
export interface EncodedAccount {
  owner: Address;
  data: Base64EncodedDataResponse;
}

export const clockAddress = address('SysvarC1ock11111111111111111111111111111111');
/** Slot, start of the epoch, epoch, leader schedule's epoch; then unix seconds i64. */
const timestampOffset = 32;

/** Returns the time in the account of the chain's clock, unix seconds. */
export function secondsOf(account: EncodedAccount): bigint {
  return Buffer.from(account.data[0], 'base64').readBigInt64LE(timestampOffset);
}

/** By more than this, the clocks differ too much: prices are judged and transactions made by ours, and the chain refuses them by its own. */
export const maxDifferenceSeconds = 30;

/** Returns in a sentence that the chain's clock is ahead of this machine's by so many seconds, or behind it if negative. */
export function describeDifference(aheadSeconds: number, whose = "The chain's clock"): string {
  return `${whose} is ${Math.abs(aheadSeconds)} s ${aheadSeconds < 0 ? 'behind' : 'ahead of'} this machine's.`;
}

/** Compares the chain's clock, as a node gives it, with this service's. */
export class ChainClock {
  readonly #clock: Clock;
  /** By how much the chain's clock was ahead when it was read last, milliseconds; negative: behind. */
  #lastAheadMs = 0;
  #fault: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the clock's account from a response to a call that began at `beganMs` by this service's clock. */
  accept(account: EncodedAccount, beganMs: number): void {
    const aheadMs = outside(toInteger(secondsOf(account)) * 1_000, beganMs, this.#clock.now());
    // Only what two reads in a row show: a clock may be moved, or a slot come late, while one is under way.
    const lastingMs = Math.abs(aheadMs) < Math.abs(this.#lastAheadMs) ? aheadMs : this.#lastAheadMs;
    const lasts = Math.sign(aheadMs) === Math.sign(this.#lastAheadMs);
    this.#lastAheadMs = aheadMs;
    const aheadSeconds = Math.round((lasts ? lastingMs : 0) / 1_000);
    this.#fault =
      Math.abs(aheadSeconds) > maxDifferenceSeconds ? describeDifference(aheadSeconds) : undefined;
  }

  /** Returns why nothing can be quoted, in a sentence; undefined while the clocks agree. */
  fault(): string | undefined {
    return this.#fault;
  }
}

/** Returns how far a time lies after a span, negative if before it; 0 within. */
function outside(timeMs: number, fromMs: number, toMs: number): number {
  if (timeMs > toMs) return timeMs - toMs;
  return Math.min(0, timeMs - fromMs);
}
