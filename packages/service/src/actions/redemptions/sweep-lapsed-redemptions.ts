import type { Context } from '../../context.js';
import type { Ends } from '../../db/ended.js';
import { releaseVelocity } from '../../db/limits/velocity.js';
import { findEndedQuotes, moveRedemption, type OpenQuote } from '../../db/redemptions/redemptions.js';
import { nextStatus } from '../../domain/redemption.js';
import { type RecordLines, withoutTrace } from '../indexing/traces.js';

const quotesPerRead = 256;

/**
 * Ends the quotes whose transactions can no longer land, and returns how many: every event of escrow is recorded, and the
 * nodes know nothing of the transaction, as it was quoted or with guards, not even in their histories. Rejects when the nodes
 * or the database fail; any number of processes may do it.
 */
export async function sweepLapsedRedemptions(
  ctx: Context,
  ends: Ends,
  by: { seenSlot: bigint; record: RecordLines },
  signal: AbortSignal,
): Promise<number> {
  let lapsed = 0;
  let after: OpenQuote | undefined;
  for (;;) {
    const quotes = await findEndedQuotes(ctx.db, ends, { limit: quotesPerRead, after });
    for (const quote of await withoutTrace(ctx, quotes, by, signal)) {
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
