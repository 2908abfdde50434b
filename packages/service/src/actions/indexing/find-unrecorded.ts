import type { Address, Signature } from '@solana/kit';
import { agreed } from '../../chain/node/agreed.js';
import {
  type ListedTransaction,
  listTransactionsOf,
  textsSignedBy,
  UnknownTransactionError,
} from '../../chain/node/signed-transactions.js';
import { agreedStatuses } from '../../chain/node/statuses.js';
import type { TreasurySnapshot } from '../../chain/program/treasury-snapshot.js';
import type { Context } from '../../context.js';
import { findCursors } from '../../db/indexing/indexer-cursors.js';
import { findSignerChecks, type SignerCheck } from '../../db/indexing/signer-checks.js';
import { findRedemption } from '../../db/redemptions/redemptions.js';
import { findKnownTransactions } from '../../db/treasury/treasury-differences.js';
import { asId } from '../../domain/ids.js';
import { parseMemo } from '../../domain/memo.js';
import type { TxSignature } from '../../domain/solana.js';

/** How far back what was compared is compared again, in slots: a node may have listed it late. */
const overlapSlots = 1_000n;

/** A transaction that a key of the service signed and that no row records. */
export interface Unrecorded {
  signature: TxSignature;
  slot: bigint;
  signedBy: Address;
  /** Memos of the service in it. */
  memos: string[];
}

/** What one look at the chain found, and how far it got. */
export interface UnrecordedSearch {
  found: Unrecorded[];
  /** To be kept together with what was found. */
  checks: SignerCheck[];
  /** Whether everything up to the snapshot was compared, with what earlier looks saw. */
  done: boolean;
  /** What ended the look at a key early; the looks at the others went on. */
  failure?: unknown;
}

/** How much of the chain is looked at in one go. */
export interface SearchLimits {
  /** Lines of a page. */
  pageSize: number;
  pages: number;
  /** Transactions without a row: strangers may name a key of the service as often as they like. */
  looks: number;
}

/**
 * Looks on the chain itself for transactions that the service signed, that landed, successful or not, and that are not
 * recorded: every one since the last complete look, however many there are. A look that does not get through goes on with
 * the next call. A node or database that fails ends the look at one key: that is the `failure` of what is returned.
 */
export async function findUnrecorded(
  ctx: Context,
  { serviceSigners, upTo }: TreasurySnapshot,
  limits: SearchLimits,
  signal: AbortSignal,
): Promise<UnrecordedSearch> {
  const checks = await findSignerChecks(ctx.db);
  const search: UnrecordedSearch = { found: [], checks: [], done: true };
  const left = { pages: limits.pages, looks: limits.looks };
  for (const signer of serviceSigners) {
    const check = checks.get(signer) ?? unchecked(signer);
    // The keys share the limits: one that is through takes nothing of them until the next snapshot.
    if (check.checkedSlot >= upTo) continue;
    const progress = { at: check.toSlot === null ? { ...check, toSlot: upTo } : check };
    try {
      await searchOn(ctx, progress, { ...limits, left, found: search.found }, signal);
    } catch (error) {
      signal.throwIfAborted();
      search.failure ??= error;
    }
    search.checks.push(progress.at);
    // One that was begun for an earlier snapshot has to be followed by another.
    if (progress.at.toSlot !== null || progress.at.checkedSlot < upTo) search.done = false;
  }
  return search;
}

function unchecked(signer: Address): SignerCheck {
  return { signer, checkedSlot: -1n, toSlot: null, beforeSignature: null, beforeSlot: null };
}

/** Goes on with one signer as far as the limits allow. Rejects when the node or the database fails; what was done stays done. */
async function searchOn(
  ctx: Context,
  progress: { at: SignerCheck },
  { pageSize, left, found }: SearchLimits & { left: { pages: number; looks: number }; found: Unrecorded[] },
  signal: AbortSignal,
): Promise<void> {
  const { signer, checkedSlot, toSlot } = progress.at;
  const to = toSlot ?? -1n;
  const floor = checkedSlot < 0n ? -1n : checkedSlot - overlapSlots;
  while (left.pages > 0) {
    left.pages -= 1;
    const page = await listPage(ctx, progress.at, pageSize, signal);
    if (page === 'dropped') {
      const { beforeSignature: tx } = progress.at;
      ctx.log.warn(
        { tx, address: signer },
        'the chain has dropped a listed transaction; the search begins again',
      );
      progress.at = { ...progress.at, beforeSignature: null, beforeSlot: null };
      return;
    }
    const wanted = page.filter(({ slot }) => slot > floor && slot <= to);
    const known = await findKnownTransactions(
      ctx.db,
      wanted.map(({ signature }) => signature),
    );
    for (const transaction of wanted.filter(({ signature }) => !known.has(signature))) {
      if (left.looks === 0) return;
      left.looks -= 1;
      const unrecorded = await look(ctx, signer, transaction, signal);
      // Not to be skipped: the next call looks at it again.
      if (unrecorded === 'unknown') return;
      if (unrecorded) found.push(unrecorded);
      const { signature: beforeSignature, slot: beforeSlot } = transaction;
      progress.at = { ...progress.at, beforeSignature, beforeSlot };
    }
    const oldest = page.at(-1);
    if (!oldest || oldest.slot <= floor) {
      progress.at = {
        ...progress.at,
        checkedSlot: to,
        toSlot: null,
        beforeSignature: null,
        beforeSlot: null,
      };
      return;
    }
    progress.at = { ...progress.at, beforeSignature: oldest.signature, beforeSlot: oldest.slot };
  }
}

/**
 * Returns the next page of what a signer's listing shows, or `dropped` when the chain no longer carries the last line. An
 * empty one ends the search, so it is believed when two nodes list nothing there, or the only one twice; what another node
 * lists is taken instead. Rejects when that cannot be found out, and when nothing at all is listed of a signer of which
 * something is recorded.
 */
async function listPage(
  ctx: Context,
  { signer, beforeSignature, beforeSlot }: SignerCheck,
  limit: number,
  signal: AbortSignal,
): Promise<ListedTransaction[] | 'dropped'> {
  const { rpc, witnesses } = ctx.chain;
  const before = beforeSignature ?? undefined;
  const list = (node: typeof rpc) => listTransactionsOf(node, signer, { before, limit }, signal);
  /** For a line that it does not know, a node returns nothing or its newest page. */
  const beginsAgain = (lines: ListedTransaction[]) =>
    lines.some(({ signature, slot }) => signature === before || (beforeSlot !== null && slot > beforeSlot));
  let lines = await list(rpc);
  if (lines.length > 0 && !beginsAgain(lines)) return lines;
  if (before !== undefined) {
    const [status] = await agreedStatuses(witnesses, [before], {}, signal);
    if (status === 'unknown') return 'dropped';
  }
  const endsThere = async (node: typeof rpc) => {
    const others = await list(node);
    if (beginsAgain(others))
      throw new Error(`the node is at fault: its listing of ${signer} does not go on behind ${before}`);
    if (others.length > 0) lines = others;
    return others.length === 0;
  };
  if (!(await agreed(witnesses, endsThere, signal))) return lines;
  if (before !== undefined) return [];
  const cursor = (await findCursors(ctx.db)).find(({ address }) => address === signer);
  if (!cursor?.signature) return [];
  throw new Error(`the node lists nothing for ${signer}, although ${cursor.signature} of it is recorded`);
}

/**
 * Returns what a transaction without a row is; undefined when the service has nothing to do with it, and `unknown` while no
 * node knows it.
 */
async function look(
  ctx: Context,
  signer: Address,
  transaction: ListedTransaction,
  signal: AbortSignal,
): Promise<Unrecorded | 'unknown' | undefined> {
  const texts = await textsOf(ctx, signer, transaction.signature, signal);
  if (texts === 'unknown') return texts;
  if (!texts || (await isOfNoAccount(ctx, transaction, texts))) return undefined;
  const { signature, slot } = transaction;
  const memos = texts.filter((text) => parseMemo(text) !== undefined);
  return { signature, slot, signedBy: signer, memos };
}

/**
 * Returns the texts of a transaction as `textsSignedBy` does, from whichever node knows it. Rejects when none does and one
 * failed, which might.
 */
async function textsOf(
  { chain, log }: Context,
  signer: Address,
  signature: Signature,
  signal: AbortSignal,
): Promise<string[] | 'unknown' | undefined> {
  let failure: unknown;
  for (const rpc of [chain.rpc, ...chain.witnesses]) {
    try {
      return await textsSignedBy(rpc, signer, signature, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UnknownTransactionError)) failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  log.warn(
    { tx: signature, address: signer },
    'no node knows a listed transaction; it has not been compared yet',
  );
  return 'unknown';
}

/**
 * Returns whether it is the failed twin of a redemption's payment: that moved nothing, and the redemption has its own.
 */
async function isOfNoAccount(ctx: Context, { failed }: ListedTransaction, texts: string[]): Promise<boolean> {
  if (!failed) return false;
  for (const text of texts) {
    const id = asId('red', parseMemo(text)?.id ?? '');
    const redemption = id && (await findRedemption(ctx.db, id));
    if (redemption && redemption.txSignature !== null) return true;
  }
  return false;
}
