import {
  isSolanaError,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  type SolanaRpcApi,
} from '@solana/kit';
import type { Logger } from 'pino';
import type { Chain } from '../chain/chain.js';
import { agreedFinalizedChain, firstOfEach } from '../chain/node/agreed.js';
import { type BatchItem, callBatch, NoBatchesError } from '../chain/node/batch.js';
import { isRateLimit } from '../chain/node/node.js';
import { type ListedTransaction, listTransactionsOf, pageSize } from '../chain/node/signed-transactions.js';
import { atMost } from '../runtime/limit.js';
import { type Subscription, startSubscription } from '../runtime/loop.js';
import { withDeadline } from '../runtime/time.js';
import { lacksEffects } from './decode/program-calls.js';
import {
  type ChainTransaction,
  readTransaction,
  type TransactionResponse,
  UndecodableError,
} from './decode/transaction.js';

/** One line of a listing: newest first as nodes give them, oldest first in all that this module returns. */
export type Listed = ListedTransaction;

/** What a node returns for a transaction that was listed. */
export type Fetched =
  /** Its signatures are verified, and it holds what the program did. */
  | { kind: 'found'; transaction: ChainTransaction }
  /** What the node returned contradicts itself, or is not signed by its signers. */
  | { kind: 'undecodable'; error: UndecodableError }
  /** No node has it, or none has all of it, at `confirmed`. */
  | { kind: 'unknown' }
  /** Of a version that this build does not read. */
  | { kind: 'unsupported' }
  /** The node failed, so nothing is known about the transaction. */
  | { kind: 'broken'; error: unknown };

const fetchConfig = {
  commitment: 'confirmed',
  encoding: 'base64',
  maxSupportedTransactionVersion: 0,
} as const;

/** A node that takes no batches gets one again after so long. */
const retryBatchesMs = 600_000;
/** Requests for one transaction each that are under way at a time; those for several are limited by the caller. */
const singlesAtOnce = 8;
const resubscribeMs = 1_000;
/** How long it is known how far the finalized chain has come. */
const finalKnownMs = 2_000;
/** How long nodes have to report how far that is, and when they are queried again after too few did. */
const requestMs = 1_000;
const requestAgainMs = 5_000;
/** How far a slot may lie ahead of the last finalized one that is known: minutes. What is further ahead is made up. */
const slotsAhead = 1_000n;
const leastSlotMs = 300;
/** Transactions that are read before anything else gets its turn. */
const readInARow = 32;

/** Where a part of the history ends: below `before`, down to the slot `floor`, without it. */
export interface Stretch {
  /** The newest of all when undefined. */
  before?: Pick<Listed, 'signature' | 'slot'> | undefined;
  floor: bigint;
}

/** Pages of a long history that are remembered on the way down; the ones above are listed again on the way up. */
const pagesRemembered = 200;

/** The program's transactions as the nodes have them. A notification proves nothing: it only wakes who follows. */
export class Source {
  readonly #chain: Pick<Chain, 'rpc' | 'transport' | 'witnesses' | 'notifications' | 'programAddress'>;
  readonly #inTurn = atMost(singlesAtOnce);
  #batchesAgainMs = Number.NEGATIVE_INFINITY;
  #final: { slot: bigint; atMs: number } | undefined;
  #requestAgainMs = 0;

  constructor(chain: Pick<Chain, 'rpc' | 'transport' | 'witnesses' | 'notifications' | 'programAddress'>) {
    this.#chain = chain;
  }

  /** Lists a page of the program's transactions, newest first. */
  list(page: { limit: number; before?: Signature | undefined }, signal: AbortSignal): Promise<Listed[]> {
    return this.#listOf(this.#chain.rpc, this.#chain.programAddress, page, signal);
  }

  /**
   * Lists a stretch of an account's history, oldest first, a page at a time. The way down is made first, so that what is
   * recorded comes in its order. Rejects when the node does not know a line that it listed; whether lines are missing, their
   * numbers show.
   */
  async *history(
    { before, floor }: Stretch,
    signal: AbortSignal,
    { rpc = this.#chain.rpc, address = this.#chain.programAddress, limit = pageSize } = {},
  ): AsyncGenerator<Listed[]> {
    const pageBelow = async (above: Stretch['before']): Promise<Listed[]> => {
      const page = await this.#listOf(rpc, address, { limit, before: above?.signature }, signal);
      // For a line that it does not know, a node returns its newest page.
      if (above && page[0] && page[0].slot > above.slot)
        throw new Error(`the node does not know ${above.signature}, which was listed`);
      return page;
    };
    const bounds: Stretch['before'][] = [];
    const pages: Listed[][] = [];
    for (let above = before; ; ) {
      const page = await pageBelow(above);
      const oldest = page.at(-1);
      if (!oldest) break;
      bounds.push(above);
      pages.push(page);
      if (pages.length > pagesRemembered) pages[pages.length - pagesRemembered - 1] = [];
      if (oldest.slot <= floor) break;
      above = oldest;
    }
    for (const [index, above] of [...bounds.entries()].reverse()) {
      const known = pages[index] ?? [];
      const page = known.length > 0 ? known : await pageBelow(above);
      pages[index] = [];
      yield page.filter(({ slot }) => slot > floor).reverse();
    }
  }

  /**
   * Fetches transactions at `confirmed`, several in one request where the node takes that; one that the node does not have
   * whole, from the other nodes too. Returns one result for each; only an abort rejects.
   */
  async fetch(signatures: readonly Signature[], signal: AbortSignal): Promise<Fetched[]> {
    const fetched = await this.#fetchFirst(signatures, signal);
    const isOpen = ({ kind }: Fetched) =>
      kind === 'unknown' || kind === 'undecodable' || kind === 'unsupported';
    return Promise.all(
      signatures.map((signature, index) => {
        const first = fetched[index] as Fetched;
        return isOpen(first) ? this.fetchFromEach(signature, signal, first) : first;
      }),
    );
  }

  /**
   * Fetches a transaction from one node after the other until one has it as one that succeeded, and otherwise returns what
   * the last one has of it that has something. `known`: what a first one has returned.
   */
  async fetchFromEach(signature: Signature, signal: AbortSignal, known?: Fetched): Promise<Fetched> {
    if (this.#chain.witnesses.length < 2) return known ?? this.#fetchOne(signature, signal);
    let best: Fetched = known ?? { kind: 'unknown' };
    const found = await firstOfEach(this.#chain, async (rpc) => {
      const fetched = await this.#inTurn(() => this.#fetchOne(signature, signal, rpc));
      // What one node fails to return, it may have.
      if (fetched.kind === 'found' || (fetched.kind === 'broken' && best.kind === 'unknown')) best = fetched;
      return fetched.kind === 'found' && fetched.transaction.error === null ? fetched : undefined;
    });
    return found ?? best;
  }

  /** Lists a page, without what the chain cannot have come to. */
  async #listOf(...listing: Parameters<typeof listTransactionsOf>): Promise<Listed[]> {
    const lines = await listTransactionsOf(...listing);
    const isKnown = this.#final && lines.every(({ slot }) => this.#isReached(slot));
    // While too few nodes respond to tell, the chain may have come anywhere.
    if (!isKnown) await this.#learnFinal(listing[3]);
    return lines.filter(({ slot }) => this.#isReached(slot));
  }

  /** Fetches a transaction from one node. */
  fetchFrom(rpc: Rpc<SolanaRpcApi>, signature: Signature, signal: AbortSignal): Promise<Fetched> {
    return this.#inTurn(() => this.#fetchOne(signature, signal, rpc));
  }

  /** Returns a slot that the finalized chain has reached; undefined while too few nodes respond to tell. */
  async finalSlot(signal: AbortSignal): Promise<bigint | undefined> {
    if (!this.#final || performance.now() - this.#final.atMs >= finalKnownMs) await this.#learnFinal(signal);
    return this.#final?.slot;
  }

  /** Reads how far the finalized chain has come; a silent node holds up little of what is recorded meanwhile. */
  async #learnFinal(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#requestAgainMs) return;
    try {
      const { slot } = await withDeadline(requestMs, signal, (end) => agreedFinalizedChain(this.#chain, end));
      this.#final = { slot, atMs: performance.now() };
    } catch {
      signal.throwIfAborted();
      this.#requestAgainMs = performance.now() + requestAgainMs;
    }
  }

  /** Returns whether the chain may have come to this slot, as far as is known here. */
  #isReached(slot: bigint): boolean {
    if (!this.#final) return true;
    const aheadMs = performance.now() - this.#final.atMs;
    return slot <= this.#final.slot + slotsAhead + BigInt(Math.floor(aheadMs / leastSlotMs));
  }

  async #fetchFirst(signatures: readonly Signature[], signal: AbortSignal): Promise<Fetched[]> {
    const alone = (signature: Signature) => this.#inTurn(() => this.#fetchOne(signature, signal));
    if (signatures.length < 2 || performance.now() < this.#batchesAgainMs) {
      return Promise.all(signatures.map(alone));
    }
    const calls = signatures.map((signature) => [signature, fetchConfig]);
    let items: BatchItem[];
    try {
      items = await callBatch(this.#chain.transport, 'getTransaction', calls, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NoBatchesError)) return signatures.map(() => ({ kind: 'broken', error }));
      this.#batchesAgainMs = performance.now() + retryBatchesMs;
      return Promise.all(signatures.map(alone));
    }
    const fetched: Fetched[] = [];
    for (const [index, signature] of signatures.entries()) {
      if (index % readInARow === readInARow - 1) await new Promise(setImmediate);
      const item = items[index];
      const code = item && 'code' in item ? item.code : undefined;
      if (item && 'result' in item) fetched.push(this.#read(signature, item.result as TransactionResponse));
      else if (isRateLimit(code))
        fetched.push({ kind: 'broken', error: new Error(`the node refuses it (${code})`) });
      // What one node refuses, another may return.
      else fetched.push(await alone(signature));
    }
    return fetched;
  }

  async #fetchOne(
    signature: Signature,
    signal: AbortSignal,
    rpc: Rpc<SolanaRpcApi> = this.#chain.rpc,
  ): Promise<Fetched> {
    try {
      return this.#read(
        signature,
        await rpc.getTransaction(signature, fetchConfig).send({ abortSignal: signal }),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)) {
        return { kind: 'unsupported' };
      }
      return { kind: 'broken', error };
    }
  }

  /** Returns what a node's response for a transaction is worth. */
  #read(signature: Signature, response: TransactionResponse | null): Fetched {
    // A block whose meta is not there yet is a block that is not there yet.
    if (!response?.meta) return { kind: 'unknown' };
    try {
      const transaction = readTransaction(signature, response);
      return !this.#isReached(transaction.slot) || lacksEffects(transaction, this.#chain.programAddress)
        ? { kind: 'unknown' }
        : { kind: 'found', transaction };
    } catch (error) {
      if (error instanceof UndecodableError) return { kind: 'undecodable', error };
      return { kind: 'undecodable', error: new UndecodableError(String(error), { cause: error }) };
    }
  }

  /** Calls `wake` whenever a transaction names the program, as long as it is connected, until it is stopped. */
  follow(log: Logger, wake: () => void): Subscription {
    return startSubscription({
      name: 'program logs',
      log,
      retryMs: resubscribeMs,
      open: (signal) => this.#chain.notifications.logs(this.#chain.programAddress, signal),
      take: wake,
    });
  }
}
