import type { Context } from '../../context.js';
import { releaseVelocity } from '../../db/limits/velocity.js';
import { findQuotesExpiredBelow, moveRedemption, type OpenQuote } from '../../db/redemptions/redemptions.js';
import { nextStatus } from '../../domain/redemption.js';
import { type FinalizedChain, withoutTrace } from '../indexing/traceless.js';

const quotesPerRead = 256;

/**
 * Ends the quotes whose transactions can no longer land, and returns how many. Two proofs are needed: everything that the
 * finalized chain carries up to `seen`, which is above the last height at which the transaction was valid, is recorded; and
 * the nodes know nothing of the transaction, as it was quoted or with guards, not even in their histories. A quote waits
 * while a transaction made since could not be read. Rejects when the nodes or the database fail; any number of processes
 * may do it.
 */
export async function sweepLapsedRedemptions(
  ctx: Context,
  seen: FinalizedChain,
  signal: AbortSignal,
): Promise<number> {
  let lapsed = 0;
  let after: OpenQuote | undefined;
  for (;;) {
    const quotes = await findQuotesExpiredBelow(ctx.db, seen.blockHeight, { limit: quotesPerRead, after });
    for (const quote of await withoutTrace(ctx, quotes, seen.slot, signal)) {
      if (await lapse(ctx, quote)) lapsed += 1;
    }
    after = quotes.at(-1);
    if (quotes.length < quotesPerRead) return lapsed;
  }
}

async function lapse(ctx: Context, quote: OpenQuote): Promise<boolean> {
  const at = new Date(ctx.clock.now());
  const step = { from: 'quoted', to: nextStatus('quoted', 'lapse'), at, actor: 'sweep', note: null } as const;
  return ctx.db.transaction(async (tx) => {
    const lapsed = await moveRedemption(tx, quote.id, step);
    if (lapsed) await releaseVelocity(tx, [quote.id]);
    return lapsed;
  });
}
