import {
  type Address,
  isSolanaError,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  type SolanaRpcApi,
} from '@solana/kit';
import { listTransactionsOf } from '../chain/node/signed-transactions.js';

/** One line of a listing. */
export interface Listed {
  signature: Signature;
  slot: bigint;
}

/** Where reading goes on; undefined for an address that nothing was read of yet. */
export type Position = Listed | undefined;

/** The parameters of a request for a page of the node's history. */
export interface ListingOptions {
  firstPage: number;
  laterPages: number;
  /** Pages that are read at once. */
  pages: number;
  /** How far to read beyond the position, in slots: late entries of the node's history show there. */
  overlapSlots: bigint;
  /** A node that has not seen this slot returns an error. */
  minContextSlot?: bigint | undefined;
  signal: AbortSignal;
}

/** The way down a history: from a step, to a slot. */
export interface Way {
  position: Position;
  from: Listed;
  floor: bigint;
}

/** What lies between two steps of a way. */
export interface Stretch {
  above: Listed;
  down: Listed;
}

/** What a node lists of an address. */
export interface Listing {
  /** Oldest first; none of them while the listing is longer than is read at once. */
  lines: Listed[];
  /** Of a listing that is longer: the oldest line of every page that was read, newest first. Else empty. */
  steps: Listed[];
}

/** The node's history of an address does not reach back to where reading stopped: something may be missing between. */
export class LostCursorError extends Error {
  override name = 'LostCursorError';
}

/** The node does not know a line that it once listed, from which reading was to go on. */
export class LostStepError extends Error {
  override name = 'LostStepError';
}

/**
 * Returns every transaction of an address from the position on, and those of the overlap before it, oldest first; or, of
 * a listing of more than `pages`, only the way to it.
 *
 * Nodes respond to a listing from or up to a signature that they do not know with the newest page or with nothing, and
 * several nodes may stand behind one address. So `until` is not used, and a listing is only taken for whole when it
 * shows its own evidence: it contains the position, or something older than it. Throws a `LostCursorError` when the
 * node's history ends before that, unless the node reports that it keeps blocks of that time: then the position's own
 * transaction was dropped by the chain, and the listing is whole. Without a position there is no such evidence: the
 * listing ends where the node gives nothing more, and the caller has to prove that this is the beginning.
 */
export async function listSince(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  position: Position,
  options: ListingOptions,
): Promise<Listing> {
  const { overlapSlots, minContextSlot, signal } = options;
  const floor = floorOf(position, overlapSlots);
  const listed: Listed[] = [];
  const steps: Listed[] = [];
  let limit = options.firstPage;
  for (;;) {
    const before = listed.at(-1)?.signature;
    const page = await readPage(rpc, address, { limit, before, minContextSlot, signal });
    listed.push(...page);
    const oldest = listed.at(-1);
    if (!oldest || isLast(page, limit, position, floor)) break;
    // The position itself is enough while only news is wanted.
    if (position && overlapSlots === 0n && listed.some(({ signature }) => signature === position.signature))
      break;
    steps.push(oldest);
    // The overlap is listed whole, however much lies in it: it is as long as it is each time.
    const news = !position || oldest.slot > position.slot;
    if (news && steps.length >= options.pages) return { lines: [], steps };
    limit = options.laterPages;
  }
  if (position && !showsPosition(listed, position)) await requireHistory(rpc, address, position, signal);
  return { lines: listed.filter(({ slot }) => slot >= floor).reverse(), steps: [] };
}

/** Returns the newest transactions of an address, newest first, with no proof that none is missing. */
export function listNewest(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  limit: number,
  signal: AbortSignal,
): Promise<Listed[]> {
  return readPage(rpc, address, { limit, signal });
}

/** Returns where a listing may end, in slots. */
export function floorOf(position: Position, overlapSlots: bigint): bigint {
  return position ? position.slot - overlapSlots : -1n;
}

/** Only an empty page ends a history that is read from its beginning. */
function isLast(page: Listed[], limit: number, position: Position, floor: bigint): boolean {
  const oldest = page.at(-1);
  if (!oldest) return true;
  return position !== undefined && (page.length < limit || oldest.slot < floor);
}

/**
 * Goes on down a history from the step `from`, at most `pages`: the oldest line of each page, newest first, and whether
 * nothing that is wanted lies behind the last. Throws as `listSince` does, and a `LostStepError` when the node does not
 * know the step.
 */
export async function walkDown(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  { position, from, floor }: Way,
  { laterPages: limit, pages, signal }: ListingOptions,
): Promise<{ steps: Listed[]; last: boolean }> {
  const steps: Listed[] = [];
  let lowest = from;
  while (steps.length < pages) {
    const page = await readBehind(rpc, address, lowest, { limit, signal });
    const oldest = page.at(-1);
    if (!oldest || isLast(page, limit, position, floor)) {
      const shown = !position || lowest.slot <= position.slot || showsPosition(page, position);
      if (!shown) await requireHistory(rpc, address, position, signal);
      return { steps: [...steps, ...page.slice(-1)], last: true };
    }
    lowest = oldest;
    steps.push(lowest);
  }
  return { steps, last: false };
}

/** Returns what lies behind the step `above`, down to the step `down`, oldest first. Throws a `LostStepError` when the node does not know them. */
export async function listStretch(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  { above, down }: Stretch,
  { laterPages: limit, signal }: ListingOptions,
): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (;;) {
    const page = await readBehind(rpc, address, listed.at(-1) ?? above, { limit, signal });
    listed.push(...page);
    const oldest = page.at(-1);
    if (!oldest) throw new LostStepError(`the node no longer lists ${down.signature} of ${address}`);
    if (oldest.slot < down.slot || page.some(({ signature }) => signature === down.signature)) {
      return listed.reverse();
    }
  }
}

/** Reads the page behind a line, newest first. */
async function readBehind(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  { signature: before, slot }: Listed,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<Listed[]> {
  const page = await readPage(rpc, address, { limit, before, signal });
  // Nodes that do not know the line return the newest page.
  if (page[0] && page[0].slot > slot) {
    throw new LostStepError(`the node does not know ${before} of ${address}, which was listed`);
  }
  return page;
}

function showsPosition(listed: Listed[], position: Listed): boolean {
  return listed.some(({ signature, slot }) => signature === position.signature || slot < position.slot);
}

/** Reads a page, newest first. */
async function readPage(
  rpc: Rpc<SolanaRpcApi>,
  address: Address,
  { signal, ...page }: Parameters<typeof listTransactionsOf>[2] & { signal: AbortSignal },
): Promise<Listed[]> {
  const lines = await listTransactionsOf(rpc, address, page, signal);
  return lines.map(({ signature, slot }) => ({ signature, slot }));
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
    throw lost('the node does not report its oldest block', error);
  }
  const slot = await rpc.getSlot({ commitment: 'confirmed' }).send({ abortSignal: signal });
  if (firstBlock > position.slot) throw lost(`the node's blocks begin at ${firstBlock}`);
  if (slot < position.slot) throw lost(`the node is at slot ${slot}`);
}

/** Returns whether a node refused to list because it lags behind the requested slot. */
export function isLagging(error: unknown): boolean {
  return isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED);
}
