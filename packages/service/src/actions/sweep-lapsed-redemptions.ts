import type { Context } from '../context.js';
import { findQuotesExpiredBelow, moveRedemption, type OpenQuote } from '../db/redemptions.js';
import { nextStatus } from '../domain/redemption.js';
import { finalizedChain, withoutTrace } from './traceless.js';

const quotesPerRead = 256;

/**
 * Ends the quotes whose transactions can no longer land; how many. Never one that landed: the finalized chain has to be
 * above the last height at which the transaction was valid, and a node that has seen that much of the chain must not
 * know the transaction, as it was quoted or with guards, not even in its history. Rejects when the node or the database
 * fails; any number of processes may do it.
 */
export async function sweepLapsedRedemptions(ctx: Context, signal: AbortSignal): Promise<number> {
  let lapsed = 0;
  let after: OpenQuote | undefined;
  const final = await finalizedChain(ctx, signal);
  for (;;) {
    const quotes = await findQuotesExpiredBelow(ctx.db, final.blockHeight, { limit: quotesPerRead, after });
    for (const quote of await withoutTrace(ctx, quotes, final.slot, signal)) {
      if (await lapse(ctx, quote)) lapsed += 1;
    }
    after = quotes.at(-1);
    if (quotes.length < quotesPerRead) return lapsed;
  }
}

async function lapse(ctx: Context, quote: OpenQuote): Promise<boolean> {
  const at = new Date(ctx.clock.now());
  const step = { from: 'quoted', to: nextStatus('quoted', 'lapse'), at, actor: 'sweep', note: null } as const;
  return ctx.db.transaction((tx) => moveRedemption(tx, quote.id, step));
}
