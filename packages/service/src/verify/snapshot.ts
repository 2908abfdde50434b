import { readEventNumbers } from '../chain/program/event-numbers.js';
import { readTreasurySnapshot, type TreasurySnapshot } from '../chain/program/program-snapshot.js';
import type { Context } from '../context.js';
import { findProgress } from '../db/indexing/indexer-progress.js';
import { configEvents } from '../db/indexing/program-events.js';
import type { Uuid } from '../domain/ids.js';
import { pause } from '../runtime/time.js';

const pollMs = 250;

/** The chain at a moment at which everything of it is recorded. */
export interface ChainSnapshot {
  treasury: TreasurySnapshot;
  /** How many events each counter of the program has counted, and in which slot at the earliest. */
  numbers: Map<Uuid, bigint>;
  numbersSlot: bigint;
}

/**
 * Reads the finalized chain, then waits until the indexer has recorded everything up to there. Returns why nothing can be
 * compared, in a sentence, when it does not within `waitMs`. Rejects when the node or the database fails.
 */
export async function readRecordedChain(
  { chain, db }: Pick<Context, 'chain' | 'db'>,
  waitMs: number,
  signal: AbortSignal,
): Promise<ChainSnapshot | string> {
  const { slot: numbersSlot, config, partners } = await readEventNumbers(chain, signal);
  const treasury = await readTreasurySnapshot(chain, signal, 'finalized');
  const numbers = new Map(partners);
  if (config !== undefined) numbers.set(configEvents, config);
  const endMs = performance.now() + waitMs;
  for (;;) {
    const { completeSlot } = (await findProgress(db)) ?? {};
    if (completeSlot !== undefined && completeSlot >= treasury.slot)
      return { treasury, numbers, numbersSlot };
    if (performance.now() >= endMs) {
      const far = completeSlot === undefined ? 'nothing is' : `they are up to slot ${completeSlot}`;
      return `The records are not complete up to slot ${treasury.slot}; ${far}.`;
    }
    await pause(pollMs, signal);
  }
}
