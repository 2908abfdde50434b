import {
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__INVALID_REQUEST,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
} from '@solana/kit';

/**
 * Returns what `read` reads as of `slot` or later; 0 stands for any slot. A node that refuses `minContextSlot` is called
 * without it, and believed by the slot that its response names. Rejects when the node fails or has not seen the slot.
 */
export async function asOf<Response extends { context: { slot: bigint } }>(
  slot: bigint,
  read: (least: { minContextSlot?: bigint }) => Promise<Response>,
): Promise<Response> {
  if (slot <= 0n) return read({});
  const response = await read({ minContextSlot: slot }).catch((error: unknown) => {
    if (!refusesMinContextSlot(error)) throw error;
    return read({});
  });
  const seen = response.context.slot;
  if (seen < slot) throw new Error(`the node is at slot ${seen}, before ${slot}`);
  return response;
}

/** Returns whether a node refused a call because it does not take `minContextSlot`. */
export function refusesMinContextSlot(error: unknown): boolean {
  return (
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__INVALID_PARAMS) ||
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__INVALID_REQUEST) ||
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND) ||
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR)
  );
}
