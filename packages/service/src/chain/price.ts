import type { OraclePrice } from '../domain/quote.js';

/** The oracle's price as last read. */
export interface PriceReading extends OraclePrice {
  /** Same exponent as the price. */
  confidence: bigint;
  publishTimeSeconds: bigint;
}

export interface PriceReader {
  /** The price to quote at. Throws `pricing_unavailable` when it is unknown, stale or unfit, saying which. */
  current(): PriceReading;
  /** For readiness: undefined when `current` would answer, else why it would not. */
  fault(): string | undefined;
}
