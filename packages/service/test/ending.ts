import type { RecordLines } from '../src/actions/indexing/traces.js';
import { agreedFinalizedChain } from '../src/chain/node/agreed.js';
import type { Context } from '../src/context.js';
import type { Ends } from '../src/db/ended.js';

/** What may end now, as if everything were recorded that the finalized chain carries. */
export async function endsNow(
  ctx: Pick<Context, 'chain' | 'clock'>,
  signal: AbortSignal,
): Promise<{ ends: Ends; by: { seenSlot: bigint; record: RecordLines } }> {
  const { slot: seenSlot, blockHeight: height } = await agreedFinalizedChain(ctx.chain, signal);
  const ends = { height, now: new Date(ctx.clock.now()), incomplete: [] };
  return { ends, by: { seenSlot, record: async () => {} } };
}
