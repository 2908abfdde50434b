import type { Context } from '../context.js';
import { pause } from '../runtime/time.js';
import { Recorder } from './record.js';
import { type Listed, Source } from './source.js';
import { defaultTuning } from './tuning.js';

const retryMs = 1_000;
/** How often in a row something may fail: an indexer that records the same just then is in the way for a second or two. */
const maxFailures = 5;

/**
 * Reads everything that the nodes list of the program from a slot on once more, and records what is missing. What is recorded
 * already stays as it is, and the progress of the indexer does not move, so it may run next to the indexer and be broken
 * off at any time. Needs a started `ctx.chain`. Returns the number of transactions that it read, and how many of them no node
 * has whole; rejects when nodes or database go on failing.
 */
export async function reindex(
  ctx: Context,
  fromSlot: bigint,
  signal: AbortSignal,
): Promise<{ read: number; unread: number }> {
  const source = new Source(ctx.chain);
  const recorder = new Recorder(ctx, source, defaultTuning);
  let read = 0;
  let unread = 0;
  const record = async (page: readonly Listed[]) => {
    const waiting = await again(() => recorder.take(page, signal), signal);
    const elsewhere = [...waiting.keys()];
    const left = await again(() => recorder.take(elsewhere, signal, { from: 'each' }), signal);
    for (const [line, why] of left) {
      // A failure that is not final yet the indexer has before it.
      if (why === 'not_final' && line.slot > ((await source.finalSlot(signal)) ?? line.slot)) continue;
      await recorder.giveUp(line, 'transaction_unavailable', { tries: 2, response: why });
      unread += 1;
    }
    read += page.length;
  };
  const history = source.history({ floor: fromSlot - 1n }, signal);
  for await (const page of history) await record(page);
  return { read, unread };
}

/** Does something until it works, a few times. */
async function again<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || failures > maxFailures) throw error;
      await pause(retryMs, signal);
    }
  }
}
