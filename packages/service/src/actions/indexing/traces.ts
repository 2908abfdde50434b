import { agreedStatuses } from '../../chain/node/agreed.js';
import type { ListedTransaction } from '../../chain/node/signed-transactions.js';
import type { Context } from '../../context.js';
import type { TxSignature } from '../../domain/solana.js';

/** Records transactions that a node lists. */
export type RecordLines = (lines: readonly ListedTransaction[], signal: AbortSignal) => Promise<unknown>;

/** What sweeps go by: how far the records reach, and what records the transactions that they find. */
export interface Traces {
  seenSlot: bigint;
  record: RecordLines;
  signal: AbortSignal;
}

/** Reads what can no longer land in pages of `limit`, and yields of each page what `withoutTrace` returns of it. */
export async function* pagesWithoutTrace<T extends { txSignatures: TxSignature[] }>(
  ctx: Pick<Context, 'chain'>,
  readPage: (page: { limit: number; after: T | undefined }) => Promise<T[]>,
  limit: number,
  by: Traces,
): AsyncGenerator<T[]> {
  for (let after: T | undefined; ; ) {
    by.signal.throwIfAborted();
    const page = await readPage({ limit, after });
    yield await withoutTrace(ctx, page, by);
    after = page.at(-1);
    if (page.length < limit) return;
  }
}

/**
 * Returns those of what can no longer land of whose transactions all nodes that respond say that they have no trace, having
 * seen `seenSlot`. Records the others that are final, which are missing in the records: one that failed, and one that no
 * node has listed yet. Throws `service_unavailable` when too few nodes respond.
 */
async function withoutTrace<T extends { txSignatures: TxSignature[] }>(
  ctx: Pick<Context, 'chain'>,
  ended: readonly T[],
  { seenSlot, record, signal }: Traces,
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
