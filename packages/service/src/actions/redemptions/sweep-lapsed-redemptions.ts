import type { Context } from '../../context.js';
import type { Ends } from '../../db/ended.js';
import { releaseVelocity } from '../../db/limits/velocity.js';
import { findEndedQuotes, moveRedemption, type OpenQuote } from '../../db/redemptions/redemptions.js';
import { nextStatus } from '../../domain/redemption.js';
import { pagesWithoutTrace, type Traces } from '../indexing/traces.js';

const quotesPerRead = 256;

/**
 * Ends the quotes whose transactions can no longer land, and returns how many: every event of escrow is recorded, and the
 * nodes know nothing of the transaction, as it was quoted or with guards, not even in their histories. Rejects when the nodes
 * or the database fail; any number of processes may do it.
 */
export async function sweepLapsedRedemptions(ctx: Context, ends: Ends, by: Traces): Promise<number> {
  const readPage = (page: { limit: number; after: OpenQuote | undefined }) =>
    findEndedQuotes(ctx.db, ends, page);
  let lapsed = 0;
  for await (const gone of pagesWithoutTrace(ctx, readPage, quotesPerRead, by)) {
    for (const quote of gone) if (await lapse(ctx, quote)) lapsed += 1;
  }
  return lapsed;
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
