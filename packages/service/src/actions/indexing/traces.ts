import { agreedStatuses } from '../../chain/node/agreed.js';
import type { ListedTransaction } from '../../chain/node/signed-transactions.js';
import type { Context } from '../../context.js';
import type { TxSignature } from '../../domain/solana.js';

/** Records transactions that a node lists. */
export type RecordLines = (lines: readonly ListedTransaction[], signal: AbortSignal) => Promise<unknown>;

/**
 * Returns those of what can no longer land of whose transactions all nodes that respond say that they have no trace, having
 * seen `seenSlot`. Records the others that are final, which are missing in the records: one that failed, and one that no
 * node has listed yet. Throws `service_unavailable` when too few nodes respond.
 */
export async function withoutTrace<T extends { txSignatures: TxSignature[] }>(
  ctx: Pick<Context, 'chain'>,
  ended: readonly T[],
  { seenSlot, record }: { seenSlot: bigint; record: RecordLines },
  signal: AbortSignal,
): Promise<T[]> {
  const signatures = ended.flatMap(({ txSignatures }) => txSignatures);
  const verdicts = await agreedStatuses(ctx.chain, signatures, seenSlot, signal);
  const unknown = new Set<TxSignature>();
  const landed: ListedTransaction[] = [];
  for (const [index, signature] of signatures.entries()) {
    const verdict = verdicts[index];
    if (verdict?.kind === 'unknown') unknown.add(signature);
    else if (verdict?.kind === 'landed' && verdict.finalized)
      landed.push({ signature, slot: verdict.slot, failed: verdict.err !== null });
  }
  if (landed.length > 0) await record(landed, signal);
  return ended.filter(({ txSignatures }) => txSignatures.every((signature) => unknown.has(signature)));
}
