import type { Signature } from '@solana/kit';
import { AppError, nodeUnavailable } from '../../errors.js';
import type { Cause } from '../../reasons.js';
import type { Chain } from '../chain.js';
import { causeOfCall } from '../failure/cause.js';
import { agreedFinalizedChain, agreedStatuses, finalizedChain } from './agreed.js';

export interface SentTransaction {
  /** Base58 signature. */
  txHash: Signature;
  /** It cannot land above this block height. */
  lastValidBlockHeight: bigint;
}

/** What became of a transaction. */
export type Landing =
  /** In a confirmed block, and successful. */
  | { kind: 'confirmed'; slot: bigint }
  /** In a confirmed block, without effect but for its fee. */
  | { kind: 'failed'; slot: bigint; cause: Cause }
  /** The node did not take it. */
  | { kind: 'refused'; cause: Cause }
  /** It did not land and can no longer. */
  | { kind: 'expired' }
  /** Not known yet: it may still land. */
  | { kind: 'pending' };

const pollMs = 100;
/** Longest look for a proof, in milliseconds. */
const proofTimeoutMs = 4_000;

/** Sends a signed transaction and waits until it is confirmed or cannot land any more, or until `deadline`. */
export async function sendAndWait(
  chain: Pick<Chain, 'rpc' | 'witnesses' | 'sender' | 'programAddress'>,
  signed: SentTransaction & { transaction: Uint8Array },
  deadline: AbortSignal,
): Promise<Landing> {
  const outcome = await chain.sender.send(signed, deadline);
  if (outcome.kind === 'refused') return outcome;
  for (;;) {
    // A node that fails to respond leaves the question open, and the transaction may have landed meanwhile.
    const landing = await findLanding(chain, signed).catch((): Landing => ({ kind: 'pending' }));
    if (landing.kind !== 'pending' || deadline.aborted) return landing;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/**
 * Returns what the chain knows about a transaction at the moment. `expired` and `failed` invite a repetition, so both are
 * what all nodes that respond say: that it failed, or, once the last block that could hold it is final, that none of them
 * knows it. Until then it is `pending`. Rejects when too few nodes respond.
 */
export async function findLanding(
  chain: Pick<Chain, 'rpc' | 'witnesses' | 'programAddress'>,
  { txHash, lastValidBlockHeight }: SentTransaction,
): Promise<Landing> {
  const { rpc, programAddress } = chain;
  const abortSignal = AbortSignal.timeout(proofTimeoutMs);
  const { value } = await rpc
    .getSignatureStatuses([txHash], { searchTransactionHistory: true })
    .send({ abortSignal });
  const [status] = value;
  if (status?.confirmationStatus === 'processed') return { kind: 'pending' };
  if (status?.err === null) return { kind: 'confirmed', slot: status.slot };
  if (!status) {
    const { blockHeight } = await finalizedChain(rpc, abortSignal);
    if (blockHeight <= lastValidBlockHeight) return { kind: 'pending' };
  }
  const final = await agreedFinalizedChain(chain, abortSignal);
  const [verdict] = await agreedStatuses(chain, [txHash], final.slot, abortSignal);
  if (verdict?.kind === 'landed') {
    const { slot, err } = verdict;
    if (err === null) return { kind: 'confirmed', slot };
    return { kind: 'failed', slot, cause: causeOfCall(err, programAddress) };
  }
  const isOver = verdict?.kind === 'unknown' && final.blockHeight > lastValidBlockHeight;
  return { kind: isOver ? 'expired' : 'pending' };
}

/** Returns what the node returns. Throws what `call` refuses, and `service_unavailable` when the node does not respond. */
export async function responseOf<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw nodeUnavailable('The Solana node does not respond; try again shortly.', cause);
  }
}
