import type { Address, Rpc, Signature, SolanaRpcApi } from '@solana/kit';
import { nodeUnavailable } from '../../errors.js';
import { chunksOf } from '../../runtime/chunks.js';
import { atMost } from '../../runtime/limit.js';
import { pause } from '../../runtime/time.js';
import { accountsPerCall } from './node.js';

/**
 * What several nodes say alike: the only module that compares what they say. One node may lie, lag or fail. So all
 * that respond have to say the same, and at least two where two are configured.
 */

/** Nodes that have to respond, where so many are configured. */
const leastNodes = 2;
/** Limit of `getSignatureStatuses`. */
const signaturesPerCall = 256;
/** Such calls under way at the same time, at most, of each node. */
const callsAtOnce = 4;
/** Nodes are a moment apart: what differs is read again after this, so many times. */
const readAgainMs = 400;
const readings = 3;

/** The nodes of a chain, and where it is noted that they contradict each other. */
export interface Nodes {
  /** Each configured node by itself. */
  witnesses: readonly Rpc<SolanaRpcApi>[];
  /** `about`: what the nodes differ about; `nodes`: the numbers of those that differ from the first one that responds. */
  noteDisagreement(disagreement: { about: string; nodes: number[] }): void;
}

/** What one node says, and the number of the node, from 1 on. */
export interface Reported<T> {
  node: number;
  value: T;
}

/**
 * Returns what `read` reads of each node that responds. Throws `service_unavailable` when fewer than two do, or the only
 * one that is configured does not; what `signal` aborts with when it does.
 */
export async function readOfEach<T>(
  { witnesses }: Pick<Nodes, 'witnesses'>,
  read: (rpc: Rpc<SolanaRpcApi>) => Promise<T>,
  signal: AbortSignal,
): Promise<Reported<T>[]> {
  const results = await Promise.allSettled(witnesses.map((rpc) => read(rpc)));
  const reported = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? [{ node: index + 1, value: result.value }] : [],
  );
  const wanted = Math.max(1, Math.min(leastNodes, witnesses.length));
  if (reported.length >= wanted) return reported;
  signal.throwIfAborted();
  const failure = results.find((result) => result.status === 'rejected')?.reason;
  throw nodeUnavailable(
    `Only ${reported.length} of ${witnesses.length} Solana nodes respond, and ${wanted} have to; try again shortly.`,
    failure,
  );
}

/**
 * Asks one node after the other until `read` returns something, and returns that; undefined when none does. A node that
 * fails has nothing to say.
 */
export async function firstOfEach<T>(
  { witnesses }: Pick<Nodes, 'witnesses'>,
  read: (rpc: Rpc<SolanaRpcApi>) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const rpc of witnesses) {
    const found = await read(rpc);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An account as a node returns it, or all of them. */
export interface NodeAccount {
  owner: Address;
  data: Buffer;
}

/**
 * Returns accounts as all nodes that respond have them at `finalized`; undefined for one that does not exist there. Throws
 * `service_unavailable` when they go on differing, which is noted, or too few of them respond.
 */
export async function agreedAccounts(
  chain: Nodes,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<(NodeAccount | undefined)[]> {
  for (let reading = 1; ; reading += 1) {
    const reported = await readOfEach(chain, (rpc) => finalizedAccounts(rpc, addresses, signal), signal);
    const [first, ...others] = reported;
    const different = others.filter(({ value }) => textOf(value) !== textOf(first?.value ?? []));
    if (first && different.length === 0) return first.value;
    if (reading < readings) await pause(readAgainMs, signal);
    if (reading === readings || signal.aborted) throw disagreed(chain, addresses.join(', '), different);
  }
}

/** Returns one account as `agreedAccounts` does. */
export async function agreedAccount(
  chain: Nodes,
  address: Address,
  signal: AbortSignal,
): Promise<NodeAccount | undefined> {
  return (await agreedAccounts(chain, [address], signal))[0];
}

async function finalizedAccounts(
  rpc: Rpc<SolanaRpcApi>,
  addresses: readonly Address[],
  abortSignal: AbortSignal,
): Promise<(NodeAccount | undefined)[]> {
  const accounts: (NodeAccount | undefined)[] = [];
  for (const some of chunksOf(addresses, accountsPerCall)) {
    const { value } = await rpc
      .getMultipleAccounts(some, { commitment: 'finalized', encoding: 'base64' })
      .send({ abortSignal });
    for (const account of value) accounts.push(toNodeAccount(account));
  }
  return accounts;
}

/** Returns an account that a node returned in base64. */
export function toNodeAccount(
  account: { owner: Address; data: readonly [string, string] } | null | undefined,
): NodeAccount | undefined {
  return account ? { owner: account.owner, data: Buffer.from(account.data[0], 'base64') } : undefined;
}

function textOf(accounts: readonly (NodeAccount | undefined)[]): string {
  return accounts.map((account) => account && `${account.owner} ${account.data.toString('base64')}`).join();
}

function disagreed(chain: Nodes, about: string, different: readonly Reported<unknown>[]): Error {
  const nodes = different.map(({ node }) => node);
  chain.noteDisagreement({ about, nodes });
  return nodeUnavailable(
    'The Solana nodes contradict each other about this; nothing is done until they agree. Try again shortly.',
    new Error(`nodes ${nodes.join(', ')} differ about ${about}`),
  );
}

/** What became of a transaction by all nodes that respond. */
export type Verdict =
  | {
      kind: 'landed';
      slot: bigint;
      /** Why it failed; null when it succeeded. */
      err: unknown;
      /** Whether all of them say that the chain can no longer undo it. */
      finalized: boolean;
    }
  /** None of them has a trace of it, histories included. */
  | { kind: 'unknown' }
  /** They contradict each other, or one lags behind, or has it in a block that is not confirmed. */
  | { kind: 'disputed' };

const unknown: Verdict = { kind: 'unknown' };
const disputed: Verdict = { kind: 'disputed' };

/**
 * Returns what all nodes that respond say of each transaction, their histories included. A node that has not seen
 * `seenSlot` proves nothing by not knowing a transaction. Throws `service_unavailable` when too few respond.
 */
export async function agreedStatuses(
  chain: Pick<Nodes, 'witnesses'>,
  signatures: readonly Signature[],
  seenSlot: bigint,
  signal: AbortSignal,
): Promise<Verdict[]> {
  const inTurn = atMost(callsAtOnce);
  const verdicts = await Promise.all(
    chunksOf(signatures, signaturesPerCall).map((some) =>
      inTurn(async () => {
        const reported = await readOfEach(chain, (rpc) => statusesOf(rpc, some, seenSlot, signal), signal);
        return some.map((_, index) => reported.map(({ value }) => value[index] ?? disputed).reduce(together));
      }),
    ),
  );
  return verdicts.flat();
}

async function statusesOf(
  rpc: Rpc<SolanaRpcApi>,
  signatures: readonly Signature[],
  seenSlot: bigint,
  abortSignal: AbortSignal,
): Promise<Verdict[]> {
  const found = new Map<Signature, Verdict>();
  // Most are recent, and a node searches its history one transaction after the other.
  for (const searchTransactionHistory of [false, true]) {
    const missing = signatures.filter((signature) => !found.has(signature));
    if (missing.length === 0) break;
    const { context, value } = await rpc
      .getSignatureStatuses(missing, { searchTransactionHistory })
      .send({ abortSignal });
    for (const [index, signature] of missing.entries()) {
      const status = value[index];
      if (status?.confirmationStatus === 'processed') {
        found.set(signature, disputed);
      } else if (status) {
        const { slot, err, confirmationStatus } = status;
        found.set(signature, { kind: 'landed', slot, err, finalized: confirmationStatus === 'finalized' });
      } else if (searchTransactionHistory) {
        found.set(signature, context.slot < seenSlot ? disputed : unknown);
      }
    }
  }
  return signatures.map((signature) => found.get(signature) ?? disputed);
}

function together(one: Verdict, other: Verdict): Verdict {
  if (one.kind !== 'landed' || other.kind !== 'landed') return one.kind === other.kind ? one : disputed;
  if ((one.err === null) !== (other.err === null)) return disputed;
  return { ...one, finalized: one.finalized && other.finalized };
}

/** How far the chain has come that can no longer be undone. */
export interface FinalizedChain {
  slot: bigint;
  blockHeight: bigint;
}

/** Returns how far the finalized chain has come by the node that is furthest behind of those that respond. Throws as `readOfEach`. */
export async function agreedFinalizedChain(
  chain: Pick<Nodes, 'witnesses'>,
  signal: AbortSignal,
): Promise<FinalizedChain> {
  const reported = await readOfEach(chain, (rpc) => finalizedChain(rpc, signal), signal);
  return reported.map(({ value }) => value).reduce(furthestBehind);
}

/**
 * Returns between which slots no node's silence about a transaction is an accident: from the first that all nodes that respond still
 * have, to the finalized one of the node that is furthest behind. Throws as `readOfEach`.
 */
export async function agreedBounds(
  chain: Pick<Nodes, 'witnesses'>,
  abortSignal: AbortSignal,
): Promise<{ historyFrom: bigint; finalSlot: bigint }> {
  const bounds = async (rpc: Rpc<SolanaRpcApi>) => ({
    historyFrom: await rpc.getFirstAvailableBlock().send({ abortSignal }),
    finalSlot: (await finalizedChain(rpc, abortSignal)).slot,
  });
  const reported = (await readOfEach(chain, bounds, abortSignal)).map(({ value }) => value);
  return reported.reduce((one, other) => ({
    historyFrom: one.historyFrom > other.historyFrom ? one.historyFrom : other.historyFrom,
    finalSlot: one.finalSlot < other.finalSlot ? one.finalSlot : other.finalSlot,
  }));
}

/** Returns the smaller of two slots with the smaller of two heights. */
export function furthestBehind(one: FinalizedChain, other: FinalizedChain): FinalizedChain {
  return {
    slot: one.slot < other.slot ? one.slot : other.slot,
    blockHeight: one.blockHeight < other.blockHeight ? one.blockHeight : other.blockHeight,
  };
}

/**
 * Returns how far the finalized chain has come by one node. Some nodes return the newest slot and height from
 * `getEpochInfo` whatever commitment is requested, so the slot is read a second time by `getSlot`.
 */
export async function finalizedChain(
  rpc: Rpc<SolanaRpcApi>,
  abortSignal: AbortSignal,
): Promise<FinalizedChain> {
  const [info, slot] = await Promise.all([
    rpc.getEpochInfo({ commitment: 'finalized' }).send({ abortSignal }),
    rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal }),
  ]);
  return heldTo({ slot: info.absoluteSlot, blockHeight: info.blockHeight }, slot);
}

/**
 * Returns a point of the chain that is no further than `slot`, with a height that the chain surely has there: each slot has
 * one block at most.
 */
export function heldTo({ slot, blockHeight }: FinalizedChain, limit: bigint): FinalizedChain {
  return limit >= slot ? { slot, blockHeight } : { slot: limit, blockHeight: blockHeight - (slot - limit) };
}
