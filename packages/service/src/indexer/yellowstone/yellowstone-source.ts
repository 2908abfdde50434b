import type { Client, ClientDuplexStream } from '@grpc/grpc-js';
import type { Address, Signature } from '@solana/kit';
import type { Logger } from 'pino';
import type { Secret } from '../../config.js';
import { encodeBase58 } from '../../domain/base58.js';
import { type Subscription, startSubscription } from '../../runtime/loop.js';
import type { TransactionResponse } from '../decode/transaction.js';
import { type Fetched, fetchedOf } from '../fetching.js';
import type { Listed, Listing, ListingOptions, Position, Stretch, Way } from '../listing.js';
import type { Source } from '../source.js';
import { type GeyserUpdate, metadataOf, openGeyser } from './geyser.js';
import { responseOf } from './geyser-transaction.js';

const connectWithinMs = 3_000;
const reconnectMs = 1_000;
/** Transactions that are kept until they are listed, about 5 kB each. */
const maxDelivered = 5_000;
const confirmed = 1;
/** By which a subscription knows its filter. */
const filter = 'program';

/**
 * A stream of Yellowstone, which delivers transactions with all they did, next to nodes by JSON-RPC. What it delivers only
 * saves the request for it: nothing is recorded that the nodes do not list, and what it does not deliver, or delivers
 * with signatures that are not valid, is fetched from them.
 */
export class YellowstoneSource implements Source {
  readonly #nodes: Source;
  readonly #url: string;
  readonly #token: Secret | undefined;
  /** By signature, the oldest first. */
  readonly #delivered = new Map<Signature, TransactionResponse>();

  constructor(nodes: Source, { url, token }: { url: string; token: Secret | undefined }) {
    this.#nodes = nodes;
    this.#url = url;
    this.#token = token;
  }

  listSince(address: Address, position: Position, options: ListingOptions): Promise<Listing> {
    return this.#nodes.listSince(address, position, options);
  }

  walkDown(address: Address, way: Way, options: ListingOptions): Promise<{ steps: Listed[]; last: boolean }> {
    return this.#nodes.walkDown(address, way, options);
  }

  listStretch(address: Address, stretch: Stretch, options: ListingOptions): Promise<Listed[]> {
    return this.#nodes.listStretch(address, stretch, options);
  }

  listNewest(address: Address, limit: number, signal: AbortSignal): Promise<Listed[]> {
    return this.#nodes.listNewest(address, limit, signal);
  }

  async fetchTransactions(signatures: readonly Signature[], signal: AbortSignal): Promise<Fetched[]> {
    const fetched = new Map<Signature, Fetched>();
    for (const signature of signatures) {
      const delivered = this.#take(signature);
      if (delivered?.kind === 'found') fetched.set(signature, delivered);
    }
    const missing = signatures.filter((signature) => !fetched.has(signature));
    const others = missing.length > 0 ? await this.#nodes.fetchTransactions(missing, signal) : [];
    for (const [index, other] of others.entries()) fetched.set(missing[index] as Signature, other);
    return signatures.map((signature) => fetched.get(signature) as Fetched);
  }

  /** Once: what is wanted again was not worth much. */
  #take(signature: Signature): Fetched | undefined {
    const response = this.#delivered.get(signature);
    this.#delivered.delete(signature);
    return response && fetchedOf(signature, response);
  }

  follow(address: Address, log: Logger, wake: () => void): Subscription {
    const notifications = this.#nodes.follow(address, log, wake);
    const stream = startSubscription<GeyserUpdate>({
      name: 'transactions by gRPC',
      log,
      retryMs: reconnectMs,
      open: (signal) => this.#open(address, signal),
      take: ({ transaction }) => {
        const response = transaction && responseOf(transaction);
        const signature = transaction?.transaction?.signature;
        if (response && signature) this.#keep(encodeBase58(signature) as Signature, response);
        if (transaction) wake();
      },
    });
    return {
      live: () => stream.live() || notifications.live(),
      async stop() {
        await Promise.all([stream.stop(), notifications.stop()]);
      },
    };
  }

  #keep(signature: Signature, response: TransactionResponse): void {
    this.#delivered.delete(signature);
    this.#delivered.set(signature, response);
    if (this.#delivered.size <= maxDelivered) return;
    const [oldest] = this.#delivered.keys();
    if (oldest) this.#delivered.delete(oldest);
  }

  async #open(address: Address, signal: AbortSignal): Promise<AsyncIterable<GeyserUpdate>> {
    const client = openGeyser(this.#url);
    signal.addEventListener('abort', () => client.close(), { once: true });
    await connected(client);
    const call: ClientDuplexStream<object, GeyserUpdate> = Object(client).Subscribe(metadataOf(this.#token));
    // A stream that is cancelled ends with an error, which is of no interest then.
    call.on('error', () => {});
    signal.addEventListener('abort', () => call.cancel(), { once: true });
    // Some servers, and what stands before them, close a stream whose pings are not answered.
    call.on('data', ({ ping }: GeyserUpdate) => {
      if (ping) call.write({ ping: { id: 1 } });
    });
    call.write({
      transactions: { [filter]: { vote: false, failed: false, accountInclude: [address] } },
      commitment: confirmed,
    });
    return call;
  }
}

function connected(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + connectWithinMs, (error) => (error ? reject(error) : resolve()));
  });
}
