import type { Chain } from '../chain.js';

/** A blockhash serves 150 blocks. */
const lifetimeBlocks = 150n;

/**
 * Returns the block height above which nothing can land that is signed with a recent blockhash. A node reported
 * `stated`; the result is no lower than the heights of the nodes that respond allow, because a transaction that is
 * taken for expired too early would be made again while it may still land. Waits for each node as long as for any call;
 * never rejects.
 */
export async function lastValidHeight(chain: Pick<Chain, 'witnesses'>, stated: bigint): Promise<bigint> {
  // The only node is the one that stated it.
  if (chain.witnesses.length < 2) return stated;
  const heights = await Promise.allSettled(
    chain.witnesses.map((rpc) => rpc.getBlockHeight({ commitment: 'confirmed' }).send()),
  );
  return heights.reduce((highest, height) => {
    const last = height.status === 'fulfilled' ? height.value + lifetimeBlocks : 0n;
    return last > highest ? last : highest;
  }, stated);
}
