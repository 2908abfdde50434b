import type { Flow, Window } from '@karat/program-client';

/** What the program takes for no limit at all. */
export const noLimit: bigint = 2n ** 64n - 1n;

/** An amount counts in its own hour and in the 24 after it. */
const hours = 25;
const hourMs = 3_600_000;

/** A limit of 24 hours and how much of it is used, base units. */
export interface DailyLimit {
  /** `noLimit`: none. */
  limit: bigint;
  used: bigint;
}

/**
 * Returns what the program would count of a window at `nowMs`, base units: everything of that hour and of the 24 before
 * it. The amounts of hour h stand at h % 25, up to the last hour that was counted in.
 */
export function usedIn(window: Window, nowMs: number): bigint {
  return sumOf(window, nowMs, hours);
}

/**
 * Returns what the program would count of a flow at `nowMs`, base units: what went out as `usedIn` counts it, less what
 * came in during that hour and the 23 before it; at least 0.
 */
export function usedInFlow({ outflow, inflow }: Flow, nowMs: number): bigint {
  const net = sumOf(outflow, nowMs, hours) - sumOf(inflow, nowMs, hours - 1);
  return net > 0n ? net : 0n;
}

/** Returns when the oldest of what the program counts at `nowMs` no longer counts; undefined when it counts nothing. */
export function roomierOnChainMs({ hour, sums }: Window, nowMs: number): number | undefined {
  const oldest = Math.max(Math.floor(nowMs / hourMs), hour) - hours + 1;
  const counted = sums
    .map((amount, index) => ({ amount, ofHour: hour - ((hour - index) % hours) }))
    .filter(({ amount, ofHour }) => amount > 0n && ofHour >= oldest)
    .map(({ ofHour }) => ofHour);
  return counted.length === 0 ? undefined : (Math.min(...counted) + hours) * hourMs;
}

function sumOf({ hour, sums }: Window, nowMs: number, newest: number): bigint {
  const oldest = Math.max(Math.floor(nowMs / hourMs), hour) - newest + 1;
  let sum = 0n;
  for (let index = 0; index < sums.length; index += 1) {
    const amount = sums[index];
    if (amount === undefined || amount === 0n) continue;
    const ofHour = hour - ((hour - index) % hours);
    if (ofHour >= oldest) sum += amount;
  }
  return sum;
}
