import type { Context } from '../../context.js';
import { amountNumber, formatDecimal, type Usdc, usdcUnits } from '../../domain/money.js';
import type { TradebookCaller } from '../../domain/principal.js';
import { ceilingOf, floorOf, treasurySlippageBps } from '../../domain/quote.js';
import { AppError } from '../../errors.js';
import { amountOf, positiveAmount } from '../trades/quote-trade.js';
import { checkMetadata, draftOrder, type OrderMetadata, type PlacedOrder, partnerOf } from './place-order.js';
import { quoteVaultTrade, requireReserve, requireVaultsTradable } from './quote-vault-trade.js';

/** A request for a trade of a vault; `goldAmount` is in ounces. */
export type VaultTradeInput = {
  goldAmount: number;
  metadata?: OrderMetadata | undefined;
} & (
  | {
      side: 'purchase';
      /** The most that the vault may pay, with the fee. */
      maxUsdcAmount: number;
    }
  | {
      side: 'sale';
      /** The least that the vault has to get, after the fee; 0 for any. */
      minimumUsdcAmount: number;
    }
);

/**
 * Drafts an order of gold for the vault of the caller's partner, or of its sale out of it: quotes it, and builds the
 * transaction that the calling executive signs. Throws, in this order: `invalid_request`,
 * `onchain_config_missing`, `partner_suspended`, `pricing_unavailable`, `invalid_request` (above the largest trade, or worth
 * nothing), `max_usdc_exceeded` or `minimum_usdc_not_met`, `rate_limited`, `insufficient_reserve`, `service_unavailable`.
 */
export async function draftVaultTrade(
  ctx: Context,
  caller: TradebookCaller,
  input: VaultTradeInput,
): Promise<PlacedOrder> {
  const { side: kind } = input;
  const partnerId = partnerOf(caller);
  positiveAmount(input.goldAmount, 'goldAmount');
  const usdcLimit = limitOf(input);
  const metadata = checkMetadata(input.metadata);
  const quote = quoteVaultTrade(ctx, partnerId, kind, input.goldAmount);
  const { integrator, price, gold: goldAmount, usdc: usdcAmount, feeBps: maxFeeBps } = quote;
  requireWithin(kind, usdcAmount, usdcLimit);
  await requireReserve(ctx, quote);
  requireVaultsTradable(ctx, quote);
  const treasuryBound = kind === 'purchase' ? floorOf : ceilingOf;
  const treasuryLimit = usdcUnits(treasuryBound(usdcAmount, treasurySlippageBps));
  const draft = {
    partnerId,
    integrator,
    signer: caller.walletAddress,
    termsAt: (expireAtSeconds: bigint) => ({
      ...{ kind, goldAmount, usdcLimit, treasuryLimit, maxFeeBps, expireAtSeconds },
    }),
    columns: {
      ...{ goldAmount, usdcAmount, usdcLimit, treasuryLimit, maxFeeBps, metadata },
      quotedPrice: formatDecimal(price.price, -price.exponent),
    },
  };
  return draftOrder(ctx, caller, draft);
}

/** Base units. */
function limitOf(input: VaultTradeInput): Usdc {
  return usdcUnits(
    input.side === 'purchase'
      ? positiveAmount(input.maxUsdcAmount, 'maxUsdcAmount')
      : amountOf(input.minimumUsdcAmount, 'minimumUsdcAmount'),
  );
}

function requireWithin(side: VaultTradeInput['side'], usdc: Usdc, limit: Usdc): void {
  if (side === 'purchase' && usdc > limit) {
    const text = `This costs ${amountNumber(usdc)} USDC, which is above maxUsdcAmount.`;
    throw new AppError('max_usdc_exceeded', text, { field: 'maxUsdcAmount' });
  }
  if (side === 'sale' && usdc < limit) {
    const text = `This brings ${amountNumber(usdc)} USDC, which is below minimumUsdcAmount.`;
    throw new AppError('minimum_usdc_not_met', text, { field: 'minimumUsdcAmount' });
  }
}
