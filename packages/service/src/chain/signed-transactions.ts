import { type Address, getAddressEncoder, type Signature } from '@solana/kit';
import type { Chain } from './chain.js';
import { readTransaction, WireError } from './wire.js';

const pageSize = 1_000;
const pages = 10;

/** A transaction that the chain carries. */
export interface ListedTransaction {
  signature: Signature;
  slot: bigint;
  failed: boolean;
}

/** The newest transactions that name `key`, in slots above `from` and up to `to`; at most 10,000. Rejects when the node fails. */
export async function listTransactionsOf(
  chain: Chain,
  key: Address,
  { from, to }: { from: bigint; to: bigint },
  abortSignal: AbortSignal,
): Promise<ListedTransaction[]> {
  const listed: ListedTransaction[] = [];
  let before: Signature | undefined;
  for (let page = 0; page < pages; page += 1) {
    const config = { commitment: 'confirmed', limit: pageSize, ...(before ? { before } : {}) } as const;
    const lines = await chain.rpc.getSignaturesForAddress(key, config).send({ abortSignal });
    for (const { signature, slot, err } of lines) {
      if (slot > from && slot <= to) listed.push({ signature, slot, failed: err !== null });
    }
    const last = lines.at(-1);
    if (lines.length < pageSize || !last || last.slot <= from) break;
    before = last.signature;
  }
  return listed;
}

/**
 * The texts that a transaction carries, if `key` signed it; undefined when it did not, or when the node does not know the
 * transaction. Rejects when the node fails.
 */
export async function textsSignedBy(
  chain: Chain,
  key: Address,
  signature: Signature,
  abortSignal: AbortSignal,
): Promise<string[] | undefined> {
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
  const answer = await chain.rpc.getTransaction(signature, config).send({ abortSignal });
  if (!answer) return undefined;
  try {
    const { accounts, signatures, instructions } = readTransaction(
      Buffer.from(answer.transaction[0], 'base64'),
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
