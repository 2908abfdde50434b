import { MarketState } from '@karat/program-client';
import type { PriceReading } from '../../chain/program/price.js';
import type { Context } from '../../context.js';
import { momentOf } from '../../domain/timestamp.js';

export interface KnownPrice {
  /** Undefined when nothing is published, or nothing was read. */
  published: { price: PriceReading; at: Date; ageSeconds: number } | undefined;
  /** Why trades do not execute at it; undefined when they do. */
  fault: string | undefined;
  /** Undefined while the program's configuration is not known. */
  market: 'open' | 'closed' | undefined;
}

/** Returns what the oracle published last, as this process sees it; makes no call. */
export function readPrice({ chain, clock }: Context): KnownPrice {
  const known = chain.program.fault() === undefined;
  const market = known ? chain.program.config().marketState : undefined;
  const price = chain.price.published();
  const at = momentOf(price?.publishTimeSeconds ?? 0n);
  const dated = price !== undefined && !Number.isNaN(at.getTime());
  const ageSeconds = Math.max(0, Math.floor((clock.now() - at.getTime()) / 1_000));
  return {
    published: dated ? { price, at, ageSeconds } : undefined,
    fault: chain.price.fault(),
    market: market === undefined ? undefined : market === MarketState.Open ? 'open' : 'closed',
  };
}
