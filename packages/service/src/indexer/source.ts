import type { Address, Signature } from '@solana/kit';
import type { Logger } from 'pino';
import type { Subscription } from '../runtime/loop.js';
import type { Fetched } from './fetching.js';
import type { Listed, Listing, ListingOptions, Position, Stretch, Way } from './listing.js';

/** Where the indexer reads the chain. What it lists is complete; what it reports by itself only makes it quicker. */
export interface Source {
  listSince(address: Address, position: Position, options: ListingOptions): Promise<Listing>;
  walkDown(address: Address, way: Way, options: ListingOptions): Promise<{ steps: Listed[]; last: boolean }>;
  listStretch(address: Address, stretch: Stretch, options: ListingOptions): Promise<Listed[]>;
  listNewest(address: Address, limit: number, signal: AbortSignal): Promise<Listed[]>;
  /** Returns one result for each signature; only an abort rejects. */
  fetchTransactions(signatures: readonly Signature[], signal: AbortSignal): Promise<Fetched[]>;
  /** Calls `wake` whenever a transaction names the address, as long as it is connected, until it is stopped. */
  follow(address: Address, log: Logger, wake: () => void): Subscription;
}
