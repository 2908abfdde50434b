/**
 * Does two stages of work for each of several batches, in their order: while one batch is written, the next one is read,
 * and no other. The first failure ends it, with nothing written behind it: of a batch that could not be written, or of one
 * that could not be read, once all batches before it are written. Nothing goes on when it settles.
 */
export async function readAhead<Batch, Read>(
  batches: Iterable<Batch>,
  read: (batch: Batch) => Promise<Read>,
  write: (read: Read) => Promise<void>,
): Promise<void> {
  let writing = Promise.resolve();
  try {
    for (const batch of batches) {
      const content = await read(batch);
      await writing;
      writing = write(content);
      // Its failure is noticed where it is awaited, which may be only after the next batch is read.
      writing.catch(() => {});
    }
  } finally {
    // A failure here is that of an earlier batch than any other.
    await writing;
  }
}
