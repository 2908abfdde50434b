import type { Address } from '@solana/kit';
import type { Context } from '../context.js';
import { amountNumber, formatDecimal } from '../domain/money.js';
import type { TradebookCaller } from '../domain/principal.js';
import { ceilingOf } from '../domain/quote.js';
import { AppError } from '../errors.js';
import { counted } from '../metrics/counted.js';
import { checkMetadata, type OrderMetadata, type PlacedOrder, partnerOf, placeOrder } from './place-order.js';
import { amountOf, positiveAmount } from './quote-trade.js';
import { quoteVaultTrade, requireReserve, requireVaultsTradable } from './quote-vault-trade.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

export interface CreateSaleInput {
  goldAmount: number;
  /** The least that the vault has to get, after the fee; 0 for any. */
  minimumUsdcAmount: number;
  metadata: OrderMetadata | undefined;
}

/**
 * Orders the sale of gold out of the vault of the caller's partner: quotes it, builds the transaction that the calling
 * executive signs, and writes the order down. Throws, in this order: `invalid_request`, `onchain_config_missing`,
 * `partner_suspended`, `pricing_unavailable`, `invalid_request` (above the largest trade, or worth nothing),
 * `minimum_usdc_not_met`, `insufficient_reserve`, `service_unavailable`.
 */
export function createSale(
  ctx: Context,
  caller: TradebookCaller,
  input: CreateSaleInput,
  settle: Settle<PlacedOrder> = settleNothing,
): Promise<PlacedOrder> {
  return counted(ctx.metrics.orders, 'sale', order(ctx, caller, input, settle));
}

async function order(
  ctx: Context,
  caller: TradebookCaller,
  input: CreateSaleInput,
  settle: Settle<PlacedOrder>,
): Promise<PlacedOrder> {
  const partnerId = partnerOf(caller);
  positiveAmount(input.goldAmount, 'goldAmount');
  const usdcLimit = amountOf(input.minimumUsdcAmount, 'minimumUsdcAmount');
  const metadata = checkMetadata(input.metadata);
  const quote = quoteVaultTrade(ctx, partnerId, 'sale', input.goldAmount);
  const { integrator, price, gold: goldAmount, usdc: usdcAmount, feeBps: maxFeeBps } = quote;
  if (usdcAmount < usdcLimit) {
    const text = `This brings ${amountNumber(usdcAmount)} USDC, which is below minimumUsdcAmount.`;
    throw new AppError('minimum_usdc_not_met', text, { field: 'minimumUsdcAmount' });
  }
  await requireReserve(ctx, quote);
  requireVaultsTradable(ctx, quote);
  const treasuryLimit = ceilingOf(usdcAmount, ctx.config.treasurySlippageBps);
  const draft = {
    partnerId,
    integrator,
    signer: caller.walletAddress as Address,
    termsAt: (expireAtSeconds: bigint) => ({
      ...{ kind: 'sale' as const, goldAmount, usdcLimit, treasuryLimit, maxFeeBps, expireAtSeconds },
    }),
    columns: {
      ...{ goldAmount, usdcAmount, usdcLimit, treasuryLimit, maxFeeBps, metadata },
      quotedPrice: formatDecimal(price.price, -price.exponent),
    },
  };
  return placeOrder(ctx, caller, draft, settle);
}
