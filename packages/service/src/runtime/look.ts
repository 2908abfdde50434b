/** Returns what `look` found no longer than `everyMs` ago; requests at the same time share one look. */
export function lookAtMostEvery<T>(everyMs: number, look: () => Promise<T>): () => Promise<T> {
  let latest: { atMs: number; found: Promise<T> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (!latest || nowMs - latest.atMs >= everyMs) latest = { atMs: nowMs, found: look() };
    return latest.found;
  };
}
