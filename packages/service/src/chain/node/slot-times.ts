import type { Rpc, SolanaRpcApi } from '@solana/kit';
import { toInteger } from '../../domain/integer.js';

type TimesNode = Rpc<SolanaRpcApi>;

/** So many slots in a row may have no block before the search gives up. */
const skippedInARow = 200n;

/**
 * Returns the last finalized slot whose block is from before a moment; undefined while the finalized chain has not reached that
 * moment. Slots without a block take the time of the next one that has one. Rejects when the node fails, and when it no longer
 * has the blocks of that time.
 */
export async function findSlotBefore(
  rpc: TimesNode,
  moment: Date,
  abortSignal: AbortSignal,
): Promise<bigint | undefined> {
  const seconds = moment.getTime() / 1_000;
  const isBefore = async (slot: bigint) => (await timeOf(rpc, slot, abortSignal)) < seconds;
  let high = await rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal });
  if (await isBefore(high)) return undefined;
  const oldest = await rpc.getFirstAvailableBlock().send({ abortSignal });
  let low = high;
  for (let step = 1_024n; low === high || !(await isBefore(low)); step *= 4n) {
    if (low === oldest) throw new Error(`the node has no block from before ${moment.toISOString()}`);
    if (low < high) high = low;
    low = high - step > oldest ? high - step : oldest;
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (await isBefore(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the time of a slot's block, or of the next slot that has one; Unix seconds. */
async function timeOf(rpc: TimesNode, slot: bigint, abortSignal: AbortSignal): Promise<number> {
  const [block] = await rpc.getBlocks(slot, slot + skippedInARow).send({ abortSignal });
  const seconds = block === undefined ? null : await rpc.getBlockTime(block).send({ abortSignal });
  if (seconds === null) throw new Error(`the node does not know the time of slot ${slot}`);
  return toInteger(seconds);
}
