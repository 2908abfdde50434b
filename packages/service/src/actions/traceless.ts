import type { Signature } from '@solana/kit';
import type { Context } from '../context.js';

/** Limit of `getSignatureStatuses`. */
const signaturesPerCall = 256;

/** How far the chain has come that can no longer be undone. */
export interface FinalizedChain {
  slot: bigint;
  blockHeight: bigint;
}

export async function finalizedChain(ctx: Context, abortSignal: AbortSignal): Promise<FinalizedChain> {
  const { absoluteSlot, blockHeight } = await ctx.chain.rpc
    .getEpochInfo({ commitment: 'finalized' })
    .send({ abortSignal });
  return { slot: absoluteSlot, blockHeight };
}

/**
 * Those of `quotes` of whose transactions the chain shows nothing up to `slot`, not even in its history. For quotes that
 * can no longer land above that, this means that they never did. Rejects when the node fails.
 */
export async function withoutTrace<T extends { txSignatures: string[] }>(
  ctx: Context,
  quotes: T[],
  slot: bigint,
  abortSignal: AbortSignal,
): Promise<T[]> {
  const signatures = quotes.flatMap(({ txSignatures }) => txSignatures as Signature[]);
  const unknown = new Set<string>();
  for (let start = 0; start < signatures.length; start += signaturesPerCall) {
    const chunk = signatures.slice(start, start + signaturesPerCall);
    const { context, value } = await ctx.chain.rpc
      .getSignatureStatuses(chunk, { searchTransactionHistory: true })
      .send({ abortSignal });
    // Several nodes may stand behind one address: one that lags behind proves nothing by not knowing.
    if (context.slot < slot) continue;
    chunk.forEach((signature, index) => {
      if (value[index] === null) unknown.add(signature);
    });
  }
  return quotes.filter(({ txSignatures }) => txSignatures.every((signature) => unknown.has(signature)));
}
