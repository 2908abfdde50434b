import { readLegacyTransaction, WireError } from '@karat/wire';
import { type Address, getAddressEncoder, type Rpc, type Signature, type SolanaRpcApi } from '@solana/kit';
import { asTxSignature } from '../../domain/solana.js';

/** The most that nodes list at once. */
export const pageSize = 1_000;
/** The database has no greater one. */
const greatestSlot = 2n ** 63n - 1n;
/** How often an empty page after another is requested before it is believed: nodes differ. */
const emptyPageTries = 3;

/** Every transaction is listed by several addresses, and decoding its signature takes longer than all else of its line. */
const maxKnown = 20_000;
const knownSignatures = new Set<string>();

function isSignature(text: string): boolean {
  if (knownSignatures.has(text)) return true;
  if (!asTxSignature(text)) return false;
  if (knownSignatures.size >= maxKnown) knownSignatures.clear();
  knownSignatures.add(text);
  return true;
}

export interface ListedTransaction {
  signature: Signature;
  slot: bigint;
  failed: boolean;
}

/**
 * Returns a page of the transactions that name an address, newest first: those behind `before`, or the newest of all. A page
 * after another that comes back empty is requested again: nodes differ. What no transaction can be is left out, so that it
 * holds up nothing else. Rejects when the node fails.
 */
export async function listTransactionsOf(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  page: { limit: number; before?: Signature | undefined },
  abortSignal: AbortSignal,
): Promise<ListedTransaction[]> {
  const { limit, before } = page;
  const from = before === undefined ? {} : { before };
  const config = { commitment: 'confirmed', limit, ...from } as const;
  for (let tries = before === undefined ? 1 : emptyPageTries; ; tries -= 1) {
    const lines = await rpc.getSignaturesForAddress(address, config).send({ abortSignal });
    if (lines.length === 0 && tries > 1) continue;
    return lines
      .filter(({ signature, slot }) => isSignature(signature) && slot >= 0n && slot <= greatestSlot)
      .map(({ signature, slot, err }) => ({ signature, slot, failed: err !== null }));
  }
}

/** A node does not know a transaction that was listed. */
export class UnknownTransactionError extends Error {
  override name = 'UnknownTransactionError';
}

/**
 * Returns the texts that a transaction carries, if `key` signed it; undefined when it did not. Rejects when the node fails,
 * with an `UnknownTransactionError` when it does not know the transaction.
 */
export async function textsSignedBy(
  rpc: Rpc<SolanaRpcApi>,
  key: Address,
  signature: Signature,
  abortSignal: AbortSignal,
): Promise<string[] | undefined> {
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
  const response = await rpc.getTransaction(signature, config).send({ abortSignal });
  if (!response) throw new UnknownTransactionError(`the node does not know ${signature}, which was listed`);
  try {
    const { accounts, signatures, instructions } = readLegacyTransaction(
      Buffer.from(response.transaction[0], 'base64'),
    );
    const bytes = Buffer.from(getAddressEncoder().encode(key));
    if (!accounts.slice(0, signatures.length).some((account) => bytes.equals(account))) return undefined;
    return instructions.map(({ data }) => Buffer.from(data).toString('utf8'));
  } catch (error) {
    // The service signs nothing that is not in this form.
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
