import type { Rpc, Signature, SolanaRpcApi } from '@solana/kit';
import { fetchTransaction } from './source.js';

/** What the node says of a transaction that has landed. */
export interface Status {
  slot: bigint;
  err: unknown;
  confirmationStatus: string | null;
}

/** A transaction cannot land any more once its blockhash is so many slots old. */
const blockhashLifeSlots = 150n;

/** Statuses in the order of the signatures (at most 256); those that the node has forgotten are looked up in its history. */
export async function statusesOf(
  rpc: Rpc<SolanaRpcApi>,
  signatures: string[],
  abortSignal: AbortSignal,
): Promise<(Status | undefined)[]> {
  const ask = async (asked: string[], searchTransactionHistory: boolean) => {
    if (asked.length === 0) return new Map<string, Status>();
    const { value } = await rpc
      .getSignatureStatuses(asked as Signature[], { searchTransactionHistory })
      .send({ abortSignal });
    return new Map(asked.flatMap((key, index) => (value[index] ? [[key, value[index]]] : [])));
  };
  const recent = await ask(signatures, false);
  const older = await ask(
    signatures.filter((signature) => !recent.has(signature)),
    true,
  );
  return signatures.map((signature) => recent.get(signature) ?? older.get(signature));
}

/**
 * Whether a transaction that was seen landed is certainly gone: too old to land again, unknown at `confirmed`, and
 * missing on a node whose blocks go back far enough to have it.
 */
export async function hasVanished(
  rpc: Rpc<SolanaRpcApi>,
  landed: { txSignature: string; slot: bigint },
  signal: AbortSignal,
): Promise<boolean> {
  const finalSlot = await rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal: signal });
  if (finalSlot <= landed.slot + blockhashLifeSlots) return false;
  const firstBlock = await rpc.getFirstAvailableBlock().send({ abortSignal: signal });
  if (firstBlock > landed.slot) return false;
  const fetched = await fetchTransaction(rpc, landed.txSignature as Signature, signal);
  return fetched.kind === 'unknown';
}
