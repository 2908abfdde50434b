import type { Rpc, SolanaRpcApi } from '@solana/kit';

/** Nodes that have to agree before anything is deleted, expires or becomes final, where that many are configured. */
const nodesThatAgree = 2;

/**
 * Returns true only when `ask` is true of two of the nodes, or of the only one where one is configured. False as soon as one
 * node returns false: nodes that contradict each other agree on nothing. A node that fails is replaced by the next one;
 * rejects with its error when none is left, and when `signal` aborts.
 */
export async function agreed(
  witnesses: readonly Rpc<SolanaRpcApi>[],
  ask: (node: Rpc<SolanaRpcApi>) => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  let missing = Math.max(1, Math.min(nodesThatAgree, witnesses.length));
  let failure: unknown = new Error('no node is configured');
  const left = [...witnesses];
  while (missing > 0) {
    if (left.length < missing) throw failure;
    signal.throwIfAborted();
    const results = await Promise.allSettled(left.splice(0, missing).map((node) => ask(node)));
    signal.throwIfAborted();
    for (const result of results) {
      if (result.status === 'rejected') failure = result.reason;
      else if (result.value !== true) return false;
      else missing -= 1;
    }
  }
  return true;
}
