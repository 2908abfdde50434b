import { outsideLanes } from './lanes.js';

/** Returns what `look` found no longer than `everyMs` ago; requests at the same time share one look. One that failed is forgotten. */
export function lookAtMostEvery<T>(everyMs: number, look: () => Promise<T>): () => Promise<T> {
  let latest: { atMs: number; found: Promise<T> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (latest && nowMs - latest.atMs < everyMs) return latest.found;
    const found = outsideLanes(look);
    latest = { atMs: nowMs, found };
    found.catch(() => {
      if (latest?.found === found) latest = undefined;
    });
    return found;
  };
}
