import type { Context } from '../context.js';
import type { TradebookCaller } from '../domain/principal.js';
import type { OraclePrice } from '../domain/quote.js';
import { partnerOf } from './place-order.js';
import { quoteVaultTrade, type VaultTradeSide } from './quote-vault-trade.js';

/** What a trade of the caller's vault would come to now. Amounts are base units. */
export interface VaultTradeEstimate {
  gold: bigint;
  /** What a purchase costs with the fee; what a sale brings after it. */
  usdc: bigint;
  price: OraclePrice;
  at: Date;
}

/**
 * Estimates a purchase or a sale of the caller's vault, whatever the vault holds. Throws, in this order,
 * `invalid_request`, `onchain_config_missing`, `partner_suspended`, `pricing_unavailable`, and `invalid_request` for an
 * amount that is too large or too small at the present price.
 */
export function estimateVaultTrade(
  ctx: Context,
  caller: TradebookCaller,
  side: VaultTradeSide,
  goldAmount: number,
): VaultTradeEstimate {
  const { gold, usdc, price } = quoteVaultTrade(ctx, partnerOf(caller), side, goldAmount);
  return { gold, usdc, price, at: new Date(ctx.clock.now()) };
}
