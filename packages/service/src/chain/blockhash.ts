import type { Blockhash } from '@solana/kit';

export interface RecentBlockhash {
  blockhash: Blockhash;
  lastValidBlockHeight: bigint;
  /** When a transaction with it can no longer land, by estimate: 400 ms a block. */
  expiresAtMs: number;
}

export interface BlockhashKeeper {
  /** A blockhash fresh enough to give away. Throws `service_unavailable` when the node has not answered lately. */
  current(): RecentBlockhash;
  fault(): string | undefined;
}
