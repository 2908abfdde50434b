import type { Address, Rpc, Signature, SolanaRpcApi } from '@solana/kit';
import { asTxSignature } from '../../domain/solana.js';
import { agreed } from './agreed.js';
import { type ListedTransaction, pageSize } from './signed-transactions.js';

/**
 * Returns a page of the transactions that name an address in finalized blocks, newest first: those behind `before`, or the
 * newest of all, as far as the nodes agree on slot and outcome of each. What is not among them is not known: nodes list
 * differently far. Rejects when too few nodes respond.
 */
export async function agreedFinalListing(
  witnesses: readonly Rpc<SolanaRpcApi>[],
  address: Address,
  before: Signature | undefined,
  signal: AbortSignal,
): Promise<ListedTransaction[]> {
  const listings: ListedTransaction[][] = [];
  await agreed(
    witnesses,
    async (rpc) => {
      listings.push(await listFinal(rpc, address, before, signal));
      return true;
    },
    signal,
  );
  const [first = [], ...others] = listings.map(
    (lines) => new Map(lines.map((line) => [line.signature, line])),
  );
  return [...first.values()].filter(({ signature, slot, failed }) =>
    others.every((other) => {
      const line = other.get(signature);
      return line?.slot === slot && line.failed === failed;
    }),
  );
}

async function listFinal(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  before: Signature | undefined,
  abortSignal: AbortSignal,
): Promise<ListedTransaction[]> {
  const from = before === undefined ? {} : { before };
  const lines = await rpc
    .getSignaturesForAddress(address, { commitment: 'finalized', limit: pageSize, ...from })
    .send({ abortSignal });
  return lines.flatMap(({ signature, slot, err, confirmationStatus }) =>
    confirmationStatus === 'finalized' && asTxSignature(signature)
      ? [{ signature, slot, failed: err !== null }]
      : [],
  );
}
