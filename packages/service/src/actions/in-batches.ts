/** What a statement may change within the time that it has, and how many rows others may wait for. */
const rowsPerBatch = 1_000;

/**
 * Works off many rows by calling `batch` with how many to do at most, until it does fewer or `batches` are done. Returns
 * how many were done. Rejects when `signal` aborts between two batches, and when `batch` does.
 */
export async function inBatches(
  batch: (limit: number) => Promise<number>,
  signal: AbortSignal,
  batches = Number.POSITIVE_INFINITY,
): Promise<number> {
  let rows = 0;
  for (let done = 0; done < batches; done += 1) {
    signal.throwIfAborted();
    const count = await batch(rowsPerBatch);
    rows += count;
    if (count < rowsPerBatch) break;
  }
  return rows;
}
