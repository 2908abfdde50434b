/** Returns the middle one of some times: one that a busy machine held up does not count. */
export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
