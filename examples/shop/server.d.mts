/** What the shop needs to know. */
export interface ShopOptions {
  /** Where the partner API is, without `/v1`. */
  baseUrl: string;
  apiKey: string;
  /** 64 bytes of the partner's wallet, as in a key file: it signs trades, and seals what pages keep. */
  partnerKey: readonly number[];
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Only in a sandbox: a wallet that the page is given, with its key, so that it can be tried without one. */
  testWallet?: { address: string; key: readonly number[] };
}

/** Starts the shop. Throws a `KaratError` when the API refuses the key, and the error of a port that is taken. */
export function startShop(options: ShopOptions): Promise<{ port: number; close(): Promise<void> }>;
