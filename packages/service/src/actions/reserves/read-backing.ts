import { readBackingOfChain } from '../../chain/program/reserve-snapshot.js';
import type { Context } from '../../context.js';
import { weighHeldBars } from '../../db/bars/held-bars.js';
import { findEscrowNeed } from '../../db/redemptions/escrow-need.js';
import { type Backing, compareBacking } from '../../domain/reserves/backing.js';
import { nodeUnavailable } from '../../errors.js';
import { lookAtMostEvery } from '../../runtime/look.js';

type BackingContext = Pick<Context, 'db' | 'clock' | 'chain'>;

const readWithinMs = 3_000;
/** Requests of the public cause no more than one read in this time. */
const keptMs = 10_000;

/**
 * Compares the tokens that exist with what is attested and with the bars in the vaults, as they are now: by one node and the
 * records. Throws `service_unavailable` when the node does not respond.
 */
export async function readBacking(ctx: BackingContext, signal?: AbortSignal): Promise<Backing> {
  const inTime = AbortSignal.timeout(readWithinMs);
  const either = signal ? AbortSignal.any([signal, inTime]) : inTime;
  const chain = await readBackingOfChain(ctx.chain, either).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw nodeUnavailable('The Solana node does not report how much GOLD exists; try again shortly.', cause);
  });
  const at = new Date(ctx.clock.now());
  // At one moment: a bar that is handed over leaves the vault, and its tokens then wait to be burned.
  const { bars, need } = await ctx.db.transaction(
    async (tx) => ({ bars: await weighHeldBars(tx), need: await findEscrowNeed(tx, BigInt(chain.slot)) }),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  // Of a burn that is not recorded yet, the chain knows that nothing waits for it any more.
  const awaitingBurn = need.awaitingBurn < chain.escrowOpen ? need.awaitingBurn : chain.escrowOpen;
  return compareBacking(chain, { at, bars, awaitingBurn });
}

/** Returns what reads the same for many callers, at most every ten seconds. */
export const backingReader = (ctx: BackingContext): (() => Promise<Backing>) =>
  lookAtMostEvery(keptMs, () => readBacking(ctx));
