import {
  type Address,
  isSolanaError,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  type SolanaRpcApi,
} from '@solana/kit';
import type { TransactionAnswer } from './transaction.js';

/** One line of a listing. */
export interface Listed {
  signature: Signature;
  slot: bigint;
}

/** Where reading goes on; undefined for an address that nothing was read of yet. */
export type Position = Listed | undefined;

/** How a page of the node's history is asked for. */
export interface ListingOptions {
  firstPage: number;
  laterPages: number;
  /** How far to read beyond the position, in slots: late entries of the node's history show there. */
  overlapSlots: bigint;
  /** A node that has not seen this slot does not answer. */
  minContextSlot?: bigint | undefined;
  signal: AbortSignal;
}

/** The node's history of an address does not reach back to where reading stopped: something may be missing between. */
export class LostCursorError extends Error {
  override name = 'LostCursorError';
}

/** How often an empty page in the middle of a history is asked for before it is believed. */
const emptyPageTries = 3;

/**
 * Every transaction of an address from the position on, and those of the overlap before it, oldest first.
 *
 * Nodes answer a listing from or up to a signature that they do not know with the newest page or with nothing, and
 * several nodes may stand behind one address. So `until` is not used, and a listing is only taken for whole when it
 * shows its own evidence: it contains the position, or something older than it. Throws a `LostCursorError` when the
 * node's history ends before that, unless the node says that it keeps blocks of that time: then the position's own
 * transaction was dropped by the chain, and the listing is whole.
 */
export async function listSince(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  position: Position,
  options: ListingOptions,
): Promise<Listed[]> {
  const { overlapSlots, minContextSlot, signal } = options;
  const floor = position ? position.slot - overlapSlots : -1n;
  const listed: Listed[] = [];
  let limit = options.firstPage;
  for (;;) {
    const before = listed.at(-1)?.signature;
    const page = await readPage(rpc, address, { limit, before, minContextSlot, signal });
    listed.push(...page);
    const oldest = listed.at(-1);
    const ended = page.length < limit;
    if (ended || (position && oldest && oldest.slot < floor)) break;
    // The position itself is enough while only news is wanted.
    if (position && overlapSlots === 0n && listed.some(({ signature }) => signature === position.signature))
      break;
    limit = options.laterPages;
  }
  if (position && !showsPosition(listed, position)) await requireHistory(rpc, address, position, signal);
  return listed.filter(({ slot }) => slot >= floor).reverse();
}

function showsPosition(listed: Listed[], position: Listed): boolean {
  return listed.some(({ signature, slot }) => signature === position.signature || slot < position.slot);
}

/** A page, newest first. A page behind another that comes back empty is asked for again: nodes differ. */
async function readPage(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  page: {
    limit: number;
    before: Signature | undefined;
    minContextSlot: bigint | undefined;
    signal: AbortSignal;
  },
): Promise<Listed[]> {
  const { limit, before, minContextSlot, signal } = page;
  for (let tries = before ? emptyPageTries : 1; ; tries -= 1) {
    const from = { ...(before ? { before } : {}), ...(minContextSlot ? { minContextSlot } : {}) };
    const config = { commitment: 'confirmed', limit, ...from } as const;
    const found = await rpc.getSignaturesForAddress(address, config).send({ abortSignal: signal });
    if (found.length > 0 || tries <= 1) return found.map(({ signature, slot }) => ({ signature, slot }));
  }
}

/** Throws unless the node keeps its history from the position's slot on and does not know the position. */
async function requireHistory(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  position: Listed,
  signal: AbortSignal,
): Promise<void> {
  const lost = (why: string, cause?: unknown) =>
    new LostCursorError(
      `The history of ${address} does not reach back to ${position.signature} in slot ${position.slot}: ${why}.`,
      { cause },
    );
  const statuses = await rpc
    .getSignatureStatuses([position.signature], { searchTransactionHistory: true })
    .send({ abortSignal: signal });
  if (statuses.value[0]) throw lost('the node knows that transaction but does not list it');
  let firstBlock: bigint;
  try {
    firstBlock = await rpc.getFirstAvailableBlock().send({ abortSignal: signal });
  } catch (error) {
    throw lost('the node does not say how far its blocks go back', error);
  }
  const slot = await rpc.getSlot({ commitment: 'confirmed' }).send({ abortSignal: signal });
  if (firstBlock > position.slot) throw lost(`the node's blocks begin at ${firstBlock}`);
  if (slot < position.slot) throw lost(`the node is at slot ${slot}`);
}

/** Whether a node refused to list because it lags behind the slot that it was asked for. */
export function isLagging(error: unknown): boolean {
  return isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED);
}

/** What a node answers about a transaction that it listed. */
export type Fetched =
  | { kind: 'found'; answer: TransactionAnswer }
  /** Not known at `confirmed`: listed too early, dropped, or not there yet on this node. */
  | { kind: 'unknown' }
  /** Of a version that this build does not read. */
  | { kind: 'unsupported' }
  /** The node failed: says nothing about the transaction. */
  | { kind: 'broken'; error: unknown };

/** Fetches one transaction at commitment `confirmed`; only an abort rejects. */
export async function fetchTransaction(
  rpc: Rpc<SolanaRpcApi>,
  signature: Signature,
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    const answer = await rpc
      .getTransaction(signature, {
        commitment: 'confirmed',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      })
      .send({ abortSignal: signal });
    // A block whose meta is not there yet is a block that is not there yet.
    return answer?.meta ? { kind: 'found', answer: answer as TransactionAnswer } : { kind: 'unknown' };
  } catch (error) {
    signal.throwIfAborted();
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)) {
      return { kind: 'unsupported' };
    }
    return { kind: 'broken', error };
  }
}

/** `work` over all items, at most `width` at a time, answers in the order of the items. */
export async function inParallel<T, R>(
  items: T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      answers[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return answers;
}
