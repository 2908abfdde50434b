import { MarketState } from '@karat/program-client';
import type { PriceReading } from '../../chain/program/price.js';
import type { Context } from '../../context.js';
import { findMarketOverride } from '../../db/market/market-overrides.js';
import { type MarketState as Market, nextWantedChange } from '../../domain/market-calendar.js';
import type { Principal } from '../../domain/principal.js';
import { momentOf } from '../../domain/timestamp.js';
import { forQuote } from '../trades/for-quote.js';
import { feeBpsOf } from '../trades/quote-trade.js';

/** The price of gold as a partner trades at it. */
export interface PartnerPrice {
  price: PriceReading;
  /** When it was published. */
  at: Date;
  ageSeconds: number;
  market: Market;
  /** The partner's fee in this state of the market; undefined for a partner that is not on chain. */
  feeBps: number | undefined;
  /** When the market opens or closes next; undefined when that is not known. */
  nextChangeAt: Date | undefined;
}

/**
 * Returns the price that a quote would have now. Throws `pricing_unavailable` when there is none, but for a market that is
 * closed to trades: that one has its last price.
 */
export async function getPartnerPrice(ctx: Context, { partnerId }: Principal): Promise<PartnerPrice> {
  const { chain, clock, calendar, db } = ctx;
  const config = forQuote(() => chain.program.config());
  const integrator = forQuote(() => chain.program.integrator(partnerId));
  const open = config.marketState === MarketState.Open;
  const resting = !open && config.settings.maxAgeClosed === 0 ? chain.price.published() : undefined;
  const price = resting ?? chain.price.current();
  const nowMs = clock.now();
  const at = momentOf(price.publishTimeSeconds);
  const override = await findMarketOverride(db);
  const nextMs = nextWantedChange(nowMs, calendar, override)?.atMs;
  return {
    price,
    at,
    ageSeconds: Math.max(0, Math.floor((nowMs - at.getTime()) / 1_000)),
    market: open ? 'open' : 'closed',
    feeBps: integrator && feeBpsOf(config, integrator),
    nextChangeAt: nextMs === undefined ? undefined : new Date(nextMs),
  };
}
