import { outsideLanes } from './lanes.js';

/**
 * Returns what `look` found no longer than `everyMs` ago; 0: only those share a look who call while it is under way. It is
 * done in the lane of none of them. One that failed is forgotten.
 */
export function lookAtMostEvery<T>(everyMs: number, look: () => Promise<T>): () => Promise<T> {
  let latest: { atMs: number; found: Promise<T>; isUnderWay: boolean } | undefined;
  return () => {
    const nowMs = performance.now();
    if (latest && (latest.isUnderWay || nowMs - latest.atMs < everyMs)) return latest.found;
    const found = outsideLanes(look);
    const begun = { atMs: nowMs, found, isUnderWay: true };
    latest = begun;
    void found.then(
      () => {
        begun.isUnderWay = false;
      },
      () => {
        if (latest === begun) latest = undefined;
      },
    );
    return found;
  };
}
