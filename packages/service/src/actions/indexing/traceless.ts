import { agreed } from '../../chain/node/agreed.js';
import { agreedStatuses } from '../../chain/node/statuses.js';
import type { Context } from '../../context.js';
import type { TxSignature } from '../../domain/solana.js';

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
 * Returns the greatest height of the finalized chain by the nodes that agree that it has come as far as `seen`; undefined
 * when they do not agree. Rejects when they fail.
 */
export async function finalHeightOfAll(
  ctx: Context,
  seen: FinalizedChain,
  abortSignal: AbortSignal,
): Promise<bigint | undefined> {
  let highest = seen.blockHeight;
  const isFinal = await agreed(
    ctx.chain.witnesses,
    async (rpc) => {
      const final = await rpc.getEpochInfo({ commitment: 'finalized' }).send({ abortSignal });
      if (final.blockHeight > highest) highest = final.blockHeight;
      return final.absoluteSlot >= seen.slot && final.blockHeight >= seen.blockHeight;
    },
    abortSignal,
  );
  return isFinal ? highest : undefined;
}

/**
 * Returns those of `quotes` of whose transactions the nodes agree that the chain shows nothing up to `slot`, not even in
 * its history. That alone is no proof that they never landed: a node may have lost its history. Rejects when the nodes fail.
 */
export async function withoutTrace<T extends { txSignatures: TxSignature[] }>(
  ctx: Context,
  quotes: T[],
  slot: bigint,
  signal: AbortSignal,
): Promise<T[]> {
  const signatures = quotes.flatMap(({ txSignatures }) => txSignatures);
  const verdicts = await agreedStatuses(ctx.chain.witnesses, signatures, { seenSlot: slot }, signal);
  const unknown = new Set(signatures.filter((_, index) => verdicts[index] === 'unknown'));
  return quotes.filter(({ txSignatures }) => txSignatures.every((signature) => unknown.has(signature)));
}
