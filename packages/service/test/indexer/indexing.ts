import type { Context } from '../../src/context.js';
import { findProgress, noteProgress } from '../../src/db/indexing/indexer-progress.js';
import { Completeness, type Seen } from '../../src/indexer/completeness.js';
import { DeadLetterRetries } from '../../src/indexer/dead-letter-retries.js';
import { Expiry } from '../../src/indexer/expiry.js';
import { FinalityWatch } from '../../src/indexer/finality.js';
import { Recorder } from '../../src/indexer/record.js';
import { Source } from '../../src/indexer/source.js';
import { Tail } from '../../src/indexer/tail.js';
import { defaultTuning, type Tuning } from '../../src/indexer/tuning.js';

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** The parts of an indexer as a process has them that has just become the leader; rounds are run by hand. */
export interface Indexing {
  tail: Tail;
  recorder: Recorder;
  source: Source;
  completeness: Completeness;
  /** Lists and records what is new, with long histories; how many transactions were listed for the first time. */
  round(): Promise<number>;
  /** Compares the program's numbers with what is recorded, fills what is missing, and notes the progress. */
  complete(): Promise<Seen>;
  /** One round each of finality watch, expiry, and retries of dead letters. */
  settle(): Promise<void>;
  /** Notes the progress as a leader does, for the next one. */
  note(): Promise<void>;
}

export async function indexingOf(ctx: Context, tuning: Partial<Tuning> = {}): Promise<Indexing> {
  const times = { ...defaultTuning, ...tuning };
  const source = new Source(ctx.chain);
  const recorder = new Recorder(ctx, source, times);
  const tail = new Tail(ctx, source, recorder, times, (await findProgress(ctx.db))?.slot ?? -1n);
  const completeness = new Completeness(ctx, source, recorder, tail, times);
  const finality = new FinalityWatch(ctx);
  const expiry = new Expiry(ctx, completeness, async (lines, signal) => {
    for (const [line, why] of await recorder.take(lines, signal, { from: 'each' })) tail.wait(line, why);
  });
  const retries = new DeadLetterRetries(ctx, source, recorder, times);
  const note = async () => {
    const seen = completeness.seen();
    const progress = {
      slot: tail.settle(seen?.slot ?? -1n),
      completeSlot: seen && seen.incomplete.size === 0 ? seen.slot : undefined,
      missing: completeness.missing(),
    };
    await ctx.db.transaction((tx) => noteProgress(tx, progress));
  };
  return {
    tail,
    recorder,
    source,
    completeness,
    note,
    async round() {
      const found = await tail.round(never);
      await tail.readHistories(never);
      return found;
    },
    async complete() {
      await completeness.look(never);
      await completeness.fill(never);
      const seen = await completeness.look(never);
      await note();
      return seen;
    },
    async settle() {
      await finality.round(never);
      await expiry.round(never);
      await retries.round(never);
    },
  };
}
