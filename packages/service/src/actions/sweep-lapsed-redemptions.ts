import type { Signature } from '@solana/kit';
import type { Context } from '../context.js';
import { findQuotesExpiredBelow, moveRedemption, type OpenQuote } from '../db/redemptions.js';
import { nextStatus } from '../domain/redemption.js';

/** Limit of `getSignatureStatuses`. */
const quotesPerCall = 256;

/**
 * Ends the quotes whose transactions can no longer land; how many. Never one that landed: the finalized chain has to be
 * above the last height at which the transaction was valid, and a node that has seen that much of the chain must not
 * know the transaction, not even in its history. Rejects when the node or the database fails; any number of processes
 * may do it.
 */
export async function sweepLapsedRedemptions(ctx: Context, signal: AbortSignal): Promise<number> {
  let lapsed = 0;
  let after: OpenQuote | undefined;
  const final = await finalizedChain(ctx, signal);
  for (;;) {
    const quotes = await findQuotesExpiredBelow(ctx.db, final.blockHeight, { limit: quotesPerCall, after });
    for (const quote of await withoutTrace(ctx, quotes, final.slot, signal)) {
      if (await lapse(ctx, quote)) lapsed += 1;
    }
    after = quotes.at(-1);
    if (quotes.length < quotesPerCall) return lapsed;
  }
}

async function finalizedChain(ctx: Context, abortSignal: AbortSignal) {
  const { absoluteSlot, blockHeight } = await ctx.chain.rpc
    .getEpochInfo({ commitment: 'finalized' })
    .send({ abortSignal });
  return { slot: absoluteSlot, blockHeight };
}

/** The quotes of whose transactions the chain shows nothing up to `slot`. */
async function withoutTrace(
  ctx: Context,
  quotes: OpenQuote[],
  slot: bigint,
  abortSignal: AbortSignal,
): Promise<OpenQuote[]> {
  if (quotes.length === 0) return [];
  const { context, value } = await ctx.chain.rpc
    .getSignatureStatuses(
      quotes.map(({ quoteTxSignature }) => quoteTxSignature as Signature),
      { searchTransactionHistory: true },
    )
    .send({ abortSignal });
  // Several nodes may stand behind one address: one that lags behind proves nothing by not knowing.
  if (context.slot < slot) return [];
  return quotes.filter((_, index) => value[index] === null);
}

async function lapse(ctx: Context, quote: OpenQuote): Promise<boolean> {
  const at = new Date(ctx.clock.now());
  const step = { from: 'quoted', to: nextStatus('quoted', 'lapse'), at, actor: 'sweep', note: null } as const;
  return ctx.db.transaction((tx) => moveRedemption(tx, quote.id, step));
}
