import {
  isSolanaError,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  type SolanaRpcApi,
} from '@solana/kit';
import { agreed } from '../chain/node/agreed.js';
import {
  type ChainTransaction,
  readTransaction,
  type TransactionResponse,
  UndecodableError,
} from './decode/transaction.js';

/** What a node returns for a transaction that it listed. */
export type Fetched =
  /** Its signatures are verified. */
  | { kind: 'found'; slot: bigint; transaction: ChainTransaction }
  /** What the node returned contradicts itself, or is not signed by its signers. */
  | { kind: 'undecodable'; slot: bigint; error: UndecodableError }
  /** Not known at `confirmed`: listed too early, dropped, or not there yet on this node. */
  | { kind: 'unknown' }
  /** Of a version that this build does not read. */
  | { kind: 'unsupported' }
  /** The node failed, so nothing is known about the transaction. */
  | { kind: 'broken'; error: unknown };

export const fetchConfig = {
  commitment: 'confirmed',
  encoding: 'base64',
  maxSupportedTransactionVersion: 0,
} as const;

/** Fetches one transaction at commitment `confirmed`; only an abort rejects. */
export async function fetchTransaction(
  rpc: Rpc<SolanaRpcApi>,
  signature: Signature,
  signal: AbortSignal,
): Promise<Fetched> {
  let response: TransactionResponse | null;
  try {
    response = await rpc.getTransaction(signature, fetchConfig).send({ abortSignal: signal });
  } catch (error) {
    signal.throwIfAborted();
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)) {
      return { kind: 'unsupported' };
    }
    return { kind: 'broken', error };
  }
  return fetchedOf(signature, response);
}

/** Returns what a node's response for a transaction is worth. */
export function fetchedOf(signature: Signature, response: TransactionResponse | null): Fetched {
  // A block whose meta is not there yet is a block that is not there yet.
  if (!response?.meta) return { kind: 'unknown' };
  const slot = BigInt(response.slot);
  try {
    return { kind: 'found', slot, transaction: readTransaction(signature, response) };
  } catch (error) {
    const undecodable =
      error instanceof UndecodableError ? error : new UndecodableError(String(error), { cause: error });
    return { kind: 'undecodable', slot, error: undecodable };
  }
}

/** Longest wait for the nodes to agree, in milliseconds. */
const agreedWithinMs = 10_000;

/**
 * Returns whether two nodes, or the only one, say that a transaction succeeded and ran the same instructions; false while
 * too few of them respond. Never rejects.
 */
export async function isAgreed(
  witnesses: readonly Rpc<SolanaRpcApi>[],
  transaction: ChainTransaction,
): Promise<boolean> {
  if (witnesses.length < 2) return true;
  const effect = effectOf(transaction);
  const signal = AbortSignal.timeout(agreedWithinMs);
  const isSame = async (rpc: Rpc<SolanaRpcApi>) => {
    const other = await fetchTransaction(rpc, transaction.signature, signal);
    if (other.kind === 'broken') throw other.error;
    return other.kind === 'found' && effectOf(other.transaction) === effect;
  };
  return agreed(witnesses, isSame, signal).catch(() => false);
}

/** Returns as a text what a transaction ran, and whether it succeeded. */
function effectOf({ error, instructions }: ChainTransaction): string {
  const ran = instructions.map(({ data, ...rest }) => ({
    ...rest,
    data: Buffer.from(data).toString('base64'),
  }));
  return JSON.stringify({ succeeded: error === null, ran });
}
