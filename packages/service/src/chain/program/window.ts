import type { Window } from '@karat/program-client';

const hours = 24;
const hourMs = 3_600_000;

/** A limit of 24 hours and how much of it is used, base units. */
export interface DailyLimit {
  /** 0: no limit. */
  limit: bigint;
  used: bigint;
}

/**
 * Returns what the program would count of a window at `nowMs`, base units: everything of that hour and of the 23 before
 * it. The amounts of hour h stand at h % 24, up to the last hour that was counted in.
 */
export function usedIn({ hour, sums }: Window, nowMs: number): bigint {
  const oldest = Math.max(Math.floor(nowMs / hourMs), hour) - hours + 1;
  let used = 0n;
  for (let index = 0; index < sums.length; index += 1) {
    const sum = sums[index];
    if (sum === undefined || sum === 0n) continue;
    const ofHour = hour - ((hour - index) % hours);
    if (ofHour >= oldest) used += sum;
  }
  return used;
}
