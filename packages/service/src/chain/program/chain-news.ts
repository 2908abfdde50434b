import type { Address, Base64EncodedDataResponse } from '@solana/kit';
import type { RecentBlockhash } from '../node/blockhash.js';
import type { CallCounter } from '../node/caller-budget.js';

/** An account as the node gave it. */
export interface NodeAccount {
  owner: Address;
  data: Base64EncodedDataResponse;
}

/** What a reader of the chain learned. */
export type ChainNews =
  /** The program's configuration, an integrator, or an account of the treasury. */
  | { kind: 'account'; address: Address; account: NodeAccount; slot: bigint }
  /** The price account; null: it does not exist. */
  | { kind: 'price'; address: Address; account: NodeAccount | null; slot: bigint }
  /** A blockhash that was read at `atMs` by the clock of the machine. */
  | { kind: 'blockhash'; latest: RecentBlockhash; atMs: number }
  /** The reader has read everything at `atMs` by the clock of the machine; so the node responded then. */
  | { kind: 'read'; by: 'program' | 'price'; atMs: number }
  /** Why nothing can be quoted by the chain's clock; undefined while it agrees with this machine's. */
  | { kind: 'clock'; fault: string | undefined }
  /** Why nothing is taken of any node; undefined: it is. */
  | { kind: 'fault'; fault: string | undefined };

/** Takes news. */
export type Publish = (news: ChainNews) => void;

/**
 * Where a process gets its news whose readers do not call the node. All processes that share a source share a budget of calls
 * for callers.
 */
export interface NewsSource extends CallCounter {
  /** Begins to pass news on; resolves when everything that was known before has been passed on. */
  follow(take: Publish): Promise<void>;
  /** Reports, once a second at most, that quotes are requested, for which there must be more news. */
  use(): void;
}

/** Passes on to other processes what the readers of this one learn, so that the chain is read once for all of them. */
export class ChainPublisher {
  /** The latest of each thing: the configuration first, without which the others mean nothing. */
  readonly #latest = new Map<string, ChainNews>();
  readonly #takers = new Set<Publish>();

  readonly publish: Publish = (news) => {
    this.#latest.set(nameOf(news), news);
    for (const take of this.#takers) take(news);
  };

  /** Passes everything that is known to `take`, and from then on what is new; returns what ends that. */
  follow(take: Publish): () => void {
    for (const news of this.#latest.values()) take(news);
    this.#takers.add(take);
    return () => this.#takers.delete(take);
  }
}

function nameOf(news: ChainNews): string {
  if (news.kind === 'account') return `account ${news.address}`;
  return news.kind === 'read' ? `read ${news.by}` : news.kind;
}
