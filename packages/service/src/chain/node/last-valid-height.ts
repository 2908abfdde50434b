import type { Rpc, SolanaRpcApi } from '@solana/kit';

/** A blockhash serves 150 blocks. */
const lifetimeBlocks = 150n;

/** The greatest that a JSON number holds exactly, and no height that a chain comes to. */
const greatestHeight = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns a height as it can be written down, whatever a node states. */
export function storableHeight(stated: bigint): bigint {
  return stated < greatestHeight ? stated : greatestHeight;
}

/**
 * Returns the block height above which nothing can land that is signed with a recent blockhash. A node reported
 * `stated`; the result is no lower than the heights of the nodes that respond allow, because a transaction that is
 * taken for expired too early would be made again while it may still land. One that overstates has it wait longer, until
 * the indexer finds the height to be out of reach (`lowerLastHeights`). Waits for each node as long as for any call; never
 * rejects.
 */
export async function lastValidHeight(
  chain: { witnesses: readonly Rpc<SolanaRpcApi>[] },
  stated: bigint,
): Promise<bigint> {
  // The only node is the one that stated it.
  if (chain.witnesses.length < 2) return storableHeight(stated);
  const heights = await Promise.allSettled(
    chain.witnesses.map((rpc) => rpc.getBlockHeight({ commitment: 'confirmed' }).send()),
  );
  const highest = heights.reduce((highest, height) => {
    const last = height.status === 'fulfilled' ? height.value + lifetimeBlocks : 0n;
    return last > highest ? last : highest;
  }, stated);
  return storableHeight(highest);
}
