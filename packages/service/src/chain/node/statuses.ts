import type { Rpc, Signature, SolanaRpcApi } from '@solana/kit';
import { chunksOf } from '../../runtime/chunks.js';
import { agreed } from './agreed.js';

/** Limit of `getSignatureStatuses`. */
const signaturesPerCall = 256;

/** What a node reports of a transaction that has landed. */
export interface Status {
  slot: bigint;
  err: unknown;
  confirmationStatus: string | null;
}

/** `unknown`: the nodes have no trace of the transaction. `disputed`: they contradict each other, or lag behind. */
export type Verdict = Status | 'unknown' | 'disputed';

/**
 * Returns what the nodes agree on for each signature, histories included. With `seenSlot`, a node that has not seen that slot
 * proves nothing by not knowing a transaction. Rejects when too few nodes respond.
 */
export async function agreedStatuses(
  witnesses: readonly Rpc<SolanaRpcApi>[],
  signatures: readonly Signature[],
  { seenSlot = 0n }: { seenSlot?: bigint },
  signal: AbortSignal,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const chunk of chunksOf(signatures, signaturesPerCall)) {
    const reports: Verdict[][] = [];
    await agreed(
      witnesses,
      async (rpc) => {
        reports.push(await statusesOf(rpc, chunk, seenSlot, signal));
        return true;
      },
      signal,
    );
    verdicts.push(
      ...chunk.map((_, index) => verdictOf(reports.map((report) => report[index] ?? 'disputed'))),
    );
  }
  return verdicts;
}

async function statusesOf(
  rpc: Rpc<SolanaRpcApi>,
  signatures: Signature[],
  seenSlot: bigint,
  abortSignal: AbortSignal,
): Promise<Verdict[]> {
  const found = new Map<string, Verdict>();
  for (const searchTransactionHistory of [false, true]) {
    const missing = signatures.filter((signature) => !found.has(signature));
    if (missing.length === 0) break;
    const { context, value } = await rpc
      .getSignatureStatuses(missing, { searchTransactionHistory })
      .send({ abortSignal });
    missing.forEach((signature, index) => {
      const status = value[index];
      if (status) found.set(signature, status);
      else if (searchTransactionHistory)
        found.set(signature, context.slot < seenSlot ? 'disputed' : 'unknown');
    });
  }
  return signatures.map((signature) => found.get(signature) ?? 'disputed');
}

/** One verdict of several reports: the first, when all others say the same. */
function verdictOf([first = 'disputed', ...others]: Verdict[]): Verdict {
  return others.every((other) => isSame(first, other)) ? first : 'disputed';
}

function isSame(one: Verdict, other: Verdict): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return (
    one.slot === other.slot &&
    (one.err === null) === (other.err === null) &&
    one.confirmationStatus === other.confirmationStatus
  );
}
