import {
  isSolanaError,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  type SolanaRpcApi,
} from '@solana/kit';
import { agreed } from '../chain/node/agreed.js';
import { inTime } from '../runtime/time.js';
import type { VerifySignatures } from './decode/signature-pool.js';
import {
  type ChainTransaction,
  invalidSignature,
  type ReadTransaction,
  readTransaction,
  readUnverified,
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
    return undecodable(slot, error);
  }
}

/** Longest wait for the nodes to agree, in milliseconds. */
const agreedWithinMs = 10_000;

/**
 * Returns whether two nodes, or the only one, say that a transaction ran the same instructions and succeeded, or failed, as
 * given; false while too few of them respond. Never rejects.
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

/** Longest wait for the nodes to agree while other transactions wait to be recorded, in milliseconds from its beginning. */
const patienceMs = 500;

/**
 * Finds out whether two nodes say the same of one transaction, which is looked at until they do. A node that is slow to
 * respond holds up one look alone; later looks find what it said meanwhile.
 */
export class Comparison {
  readonly #compare: (transaction: ChainTransaction) => Promise<boolean>;
  #effect: string | undefined;
  #running: Promise<void> | undefined;
  #begunMs = 0;
  #isAgreed = false;
  #isSlow = false;

  /** `compare` returns whether two nodes say the same of a transaction, and never rejects. */
  constructor(compare: (transaction: ChainTransaction) => Promise<boolean>) {
    this.#compare = compare;
  }

  /** Begins to compare what a node returned, unless that goes on already or two nodes have said the same. */
  begin(transaction: ChainTransaction): void {
    const effect = effectOf(transaction);
    if (effect === this.#effect && (this.#running || this.#isAgreed)) return;
    this.#effect = effect;
    this.#isAgreed = false;
    const running = this.#compare(transaction).then((isAgreed) => {
      if (this.#running !== running) return;
      this.#isAgreed = isAgreed;
      this.#running = undefined;
    });
    this.#running = running;
    this.#begunMs = performance.now();
  }

  /** Returns whether two nodes say what one returned; false while that is not known. */
  async isAgreed(transaction: ChainTransaction): Promise<boolean> {
    if (effectOf(transaction) !== this.#effect) this.begin(transaction);
    if (this.#running && !this.#isSlow) {
      const leftMs = Math.max(0, this.#begunMs + patienceMs - performance.now());
      await inTime(this.#running, leftMs).catch(() => {
        this.#isSlow = true;
      });
    }
    return this.#isAgreed;
  }
}

/** A node's response for a transaction. */
export interface Response {
  signature: Signature;
  response: TransactionResponse | null;
}

/** Transactions that are read before anything else gets its turn. */
const readInARow = 64;

/** Returns what each of several responses is worth; `verify` verifies the signatures of all of them. */
export async function allFetched(
  responses: readonly Response[],
  verify: VerifySignatures,
): Promise<Fetched[]> {
  const read: (Fetched | ReadTransaction)[] = [];
  for (const [index, { signature, response }] of responses.entries()) {
    if (index > 0 && index % readInARow === 0) await new Promise(setImmediate);
    if (!response?.meta) read.push({ kind: 'unknown' });
    else
      try {
        read.push(readUnverified(signature, response));
      } catch (error) {
        read.push(undecodable(BigInt(response.slot), error));
      }
  }
  const invalid = await verify(read.flatMap((each) => ('signed' in each ? each.signed : [])));
  let next = 0;
  return read.map((each) => {
    if (!('signed' in each)) return each;
    const { transaction } = each;
    const place = invalid[next];
    next += 1;
    if (place !== undefined) return undecodable(transaction.slot, invalidSignature(transaction, place));
    return { kind: 'found', slot: transaction.slot, transaction };
  });
}

function undecodable(slot: bigint, error: unknown): Fetched {
  const cause =
    error instanceof UndecodableError ? error : new UndecodableError(String(error), { cause: error });
  return { kind: 'undecodable', slot, error: cause };
}
