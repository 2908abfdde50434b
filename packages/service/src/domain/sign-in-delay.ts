/** How attempts to sign in are slowed by one counter of failures. */
export interface DelayRule {
  /** Failures that cost no delay. */
  free: number;
  /** The delay doubles from one second up to this. */
  maxMs: number;
  /** A counter without a failure for so long starts again. */
  forgottenMs: number;
}

const firstDelayMs = 1_000;

/** Returns how long after its latest failure a counter admits no further attempt, in milliseconds. */
export function delayAfter(failures: number, { free, maxMs }: Pick<DelayRule, 'free' | 'maxMs'>): number {
  if (failures <= free) return 0;
  const doublings = failures - free - 1;
  return doublings > 30 ? maxMs : Math.min(maxMs, firstDelayMs * 2 ** doublings);
}

/** Failures of one counter, and when it admits the next attempt, in milliseconds since the Unix epoch. */
export interface Failures {
  count: number;
  lastMs: number;
  freeMs: number;
}

/**
 * Returns how long a counter makes an attempt wait, in milliseconds. A time further ahead than the longest delay comes
 * from a clock that was set back, and counts for nothing. Of two attempts at the same moment, the one that is counted last
 * may have the earlier time: without a delay it does not wait for the other.
 */
export function waitOf({ lastMs, freeMs }: Failures, rule: DelayRule, nowMs: number): number {
  if (freeMs <= lastMs) return 0;
  const waitMs = freeMs - nowMs;
  return waitMs > 0 && waitMs <= rule.maxMs ? waitMs : 0;
}

export function withFailure({ count, lastMs }: Failures, rule: DelayRule, nowMs: number): Failures {
  const isForgotten = nowMs - lastMs >= rule.forgottenMs;
  const failures = isForgotten ? 1 : count + 1;
  return { count: failures, lastMs: nowMs, freeMs: nowMs + delayAfter(failures, rule) };
}
