import type { Address } from '../domain/solana.js';

/** What decisions about wallets rest on. */
export interface ScreeningSource {
  /** SHA-256 of the list, hexadecimal. */
  sha256: string;
  addresses: number;
}

/** Says which wallets the service may not deal with. */
export interface Screening {
  /** Returns those of some wallets that may not be served. Throws when that cannot be found out: then none of them is. */
  blocked(wallets: readonly Address[]): Promise<Address[]>;
  /** Takes over what has changed at the source since; what was known before stays when the source cannot be read. */
  refresh(): Promise<void>;
  /** Undefined if nothing is screened, or by something that is no list. */
  source(): ScreeningSource | undefined;
}

/** Screening where the configuration names none. */
export const noScreening: Screening = {
  blocked: async () => [],
  refresh: async () => {},
  source: () => undefined,
};
