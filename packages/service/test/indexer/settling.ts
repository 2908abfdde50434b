import type { Context } from '../../src/context.js';
import { FinalityWatch, type Indexing } from '../../src/indexer/finality/finality.js';
import { watchedKinds } from '../../src/indexer/finality/watched-kinds.js';
import { deadLetterRetriesOf } from '../../src/indexer/record/dead-letter-retries.js';
import { expiryOf } from '../../src/indexer/record/expiry.js';
import { defaultTuning, type Tuning } from '../../src/indexer/tuning.js';

export type Settling = ReturnType<typeof settlingOf>;

/** What runs beside a follower, one round of each after the other: finality watch, expiry, retries of dead letters. */
export function settlingOf(ctx: Context, indexing: Indexing, tuning: Partial<Tuning> = {}) {
  const times = { ...defaultTuning, ...tuning };
  const works = [
    new FinalityWatch(ctx, indexing, watchedKinds),
    expiryOf(ctx, times, indexing),
    deadLetterRetriesOf(ctx, times, indexing),
  ];
  return {
    async round(signal: AbortSignal): Promise<void> {
      for (const work of works) await work.round(signal);
    },
  };
}
