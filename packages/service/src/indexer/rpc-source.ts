import type { Address, Signature } from '@solana/kit';
import type { Logger } from 'pino';
import type { Chain } from '../chain/chain.js';
import { type BatchItem, callBatch, NoBatchesError } from '../chain/node/batch.js';
import { isRateLimit } from '../chain/node/node.js';
import type { NotificationsOf } from '../chain/node/notifications.js';
import { atMost } from '../runtime/limit.js';
import { type Subscription, startSubscription } from '../runtime/loop.js';
import { type VerifySignatures, verifyHere } from './decode/signature-pool.js';
import type { TransactionResponse } from './decode/transaction.js';
import { allFetched, type Fetched, fetchConfig, fetchTransaction } from './fetching.js';
import {
  type Listed,
  type Listing,
  type ListingOptions,
  listNewest,
  listSince,
  listStretch,
  type Position,
  type Stretch,
  type Way,
  walkDown,
} from './listing.js';
import type { Source } from './source.js';

/** A node that takes no batches gets one again after so long. */
const retryBatchesMs = 600_000;
/** Requests for one transaction each that are under way at a time; those for several are limited by the caller. */
const singlesAtOnce = 8;
const resubscribeMs = 1_000;

/** Nodes by JSON-RPC, and the notifications of their WebSockets. */
export class RpcSource implements Source {
  readonly #chain: Pick<Chain, 'rpc' | 'transport'>;
  readonly #notifications: Pick<NotificationsOf, 'logs'>;
  readonly #verify: VerifySignatures;
  readonly #inTurn = atMost(singlesAtOnce);
  #batchesAgainMs = Number.NEGATIVE_INFINITY;

  constructor(
    chain: Pick<Chain, 'rpc' | 'transport'>,
    notifications: Pick<NotificationsOf, 'logs'>,
    verify: VerifySignatures = verifyHere,
  ) {
    this.#chain = chain;
    this.#notifications = notifications;
    this.#verify = verify;
  }

  listSince(address: Address, position: Position, options: ListingOptions): Promise<Listing> {
    return listSince(this.#chain.rpc, address, position, options);
  }

  walkDown(address: Address, way: Way, options: ListingOptions): Promise<{ steps: Listed[]; last: boolean }> {
    return walkDown(this.#chain.rpc, address, way, options);
  }

  listStretch(address: Address, stretch: Stretch, options: ListingOptions): Promise<Listed[]> {
    return listStretch(this.#chain.rpc, address, stretch, options);
  }

  listNewest(address: Address, limit: number, signal: AbortSignal): Promise<Listed[]> {
    return listNewest(this.#chain.rpc, address, limit, signal);
  }

  /** Fetches at commitment `confirmed`, several in one request where the node takes that. */
  async fetchTransactions(signatures: readonly Signature[], signal: AbortSignal): Promise<Fetched[]> {
    const { rpc, transport } = this.#chain;
    const alone = (signature: Signature) => this.#inTurn(() => fetchTransaction(rpc, signature, signal));
    if (signatures.length < 2 || performance.now() < this.#batchesAgainMs) {
      return Promise.all(signatures.map(alone));
    }
    const calls = signatures.map((signature) => [signature, fetchConfig]);
    let items: BatchItem[];
    try {
      items = await callBatch(transport, 'getTransaction', calls, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NoBatchesError)) return signatures.map(() => ({ kind: 'broken', error }));
      this.#batchesAgainMs = performance.now() + retryBatchesMs;
      return Promise.all(signatures.map(alone));
    }
    const responses = signatures.flatMap((signature, index) => {
      const item = items[index];
      return item && 'result' in item
        ? [{ signature, response: item.result as TransactionResponse | null }]
        : [];
    });
    const returned = await allFetched(responses, this.#verify);
    const fetched: Fetched[] = [];
    for (const [index, signature] of signatures.entries()) {
      const item = items[index];
      const code = item && 'code' in item ? item.code : undefined;
      if (item && 'result' in item) fetched.push(returned.shift() as Fetched);
      else if (isRateLimit(code))
        fetched.push({ kind: 'broken', error: new Error(`the node refuses it (${code})`) });
      // What one node refuses, another may return.
      else fetched.push(await alone(signature));
    }
    return fetched;
  }

  follow(address: Address, log: Logger, wake: () => void): Subscription {
    return startSubscription({
      name: 'program logs',
      log,
      retryMs: resubscribeMs,
      open: (signal) => this.#notifications.logs(address, signal),
      take: wake,
    });
  }
}
