import {
  isSolanaError,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  type SolanaRpcApi,
} from '@solana/kit';

/** How a node reports that it does not have a block. */
const noBlock = [
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
] as const;

/** A blockhash lives for so many blocks: a transaction with it can land in none that comes later. */
export const blockhashLifeBlocks = 150;

/** A transaction that a node reported in a block. */
export interface SeenTransaction {
  txSignature: Signature;
  slot: bigint;
}

/**
 * Returns whether the finalized chain certainly lacks a transaction that was seen in `slot` before, by this node. A node
 * that does not know the transaction proves nothing by that alone. The block of the slot has to be read and lack it (or the
 * block behind it, which shows that the slot was skipped); the transaction must be unable to land in a later block; and
 * everything up to the last block that could hold it has to be recorded, which is so up to `recordedSlot`. Rejects when the
 * node fails.
 */
export async function isAbsent(
  rpc: Rpc<SolanaRpcApi>,
  { txSignature: signature, slot }: SeenTransaction,
  recordedSlot: bigint,
  abortSignal: AbortSignal,
): Promise<boolean> {
  if (!(await isMissingInBlocks(rpc, signature, slot, { recordedSlot, abortSignal }))) return false;
  const { context, value } = await rpc
    .getSignatureStatuses([signature], { searchTransactionHistory: true })
    .send({ abortSignal });
  // Several nodes may stand behind one address: one that lags behind proves nothing by not knowing.
  if (value[0] !== null || context.slot < recordedSlot) return false;
  const found = await rpc
    .getTransaction(signature, {
      commitment: 'confirmed',
      encoding: 'base64',
      maxSupportedTransactionVersion: 0,
    })
    .send({ abortSignal });
  return found === null;
}

/**
 * Returns whether the block of the slot lacks the transaction, and no block to come, or not recorded yet, can hold it.
 */
async function isMissingInBlocks(
  rpc: Rpc<SolanaRpcApi>,
  signature: Signature,
  slot: bigint,
  { recordedSlot, abortSignal }: { recordedSlot: bigint; abortSignal: AbortSignal },
): Promise<boolean> {
  try {
    // Its blockhash was of this block or an older one: the last block here is the first that can no longer hold it.
    const blocks = await rpc
      .getBlocksWithLimit(slot, blockhashLifeBlocks + 2, { commitment: 'finalized' })
      .send({ abortSignal });
    const [first] = blocks;
    const over = blocks[blockhashLifeBlocks + 1];
    if (first === undefined || over === undefined || over > recordedSlot) return false;
    const block = await rpc
      .getBlock(first, {
        commitment: 'finalized',
        maxSupportedTransactionVersion: 0,
        rewards: false,
        transactionDetails: 'signatures',
      })
      .send({ abortSignal });
    // A block that does not follow on one before the slot may hide the slot's own.
    if (!block || (first > slot && block.parentSlot >= slot)) return false;
    return !block.signatures.includes(signature);
  } catch (error) {
    if (noBlock.some((code) => isSolanaError(error, code))) return false;
    throw error;
  }
}
