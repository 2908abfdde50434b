import type { Address } from '@solana/kit';
import type { Context } from '../context.js';
import { amountNumber, formatDecimal } from '../domain/money.js';
import type { TradebookCaller } from '../domain/principal.js';
import { floorOf } from '../domain/quote.js';
import { AppError } from '../errors.js';
import { counted } from '../metrics/counted.js';
import { checkMetadata, type OrderMetadata, type PlacedOrder, partnerOf, placeOrder } from './place-order.js';
import { positiveAmount } from './quote-trade.js';
import { quoteVaultTrade, requireReserve, requireVaultsTradable } from './quote-vault-trade.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

export interface CreatePurchaseInput {
  goldAmount: number;
  /** The most that the vault may pay, with the fee. */
  maxUsdcAmount: number;
  metadata: OrderMetadata | undefined;
}

/**
 * Orders gold for the vault of the caller's partner: quotes it, builds the transaction that the calling executive signs,
 * and writes the order down. Throws, in this order: `invalid_request`, `onchain_config_missing`, `partner_suspended`,
 * `pricing_unavailable`, `invalid_request` (above the largest trade), `max_usdc_exceeded`, `insufficient_reserve`,
 * `service_unavailable`.
 */
export function createPurchase(
  ctx: Context,
  caller: TradebookCaller,
  input: CreatePurchaseInput,
  settle: Settle<PlacedOrder> = settleNothing,
): Promise<PlacedOrder> {
  return counted(ctx.metrics.orders, 'purchase', order(ctx, caller, input, settle));
}

async function order(
  ctx: Context,
  caller: TradebookCaller,
  input: CreatePurchaseInput,
  settle: Settle<PlacedOrder>,
): Promise<PlacedOrder> {
  const partnerId = partnerOf(caller);
  positiveAmount(input.goldAmount, 'goldAmount');
  const usdcLimit = positiveAmount(input.maxUsdcAmount, 'maxUsdcAmount');
  const metadata = checkMetadata(input.metadata);
  const quote = quoteVaultTrade(ctx, partnerId, 'purchase', input.goldAmount);
  const { integrator, price, gold: goldAmount, usdc: usdcAmount, feeBps: maxFeeBps } = quote;
  if (usdcAmount > usdcLimit) {
    const text = `This costs ${amountNumber(usdcAmount)} USDC, which is above maxUsdcAmount.`;
    throw new AppError('max_usdc_exceeded', text, { field: 'maxUsdcAmount' });
  }
  await requireReserve(ctx, quote);
  requireVaultsTradable(ctx, quote);
  const treasuryLimit = floorOf(usdcAmount, ctx.config.treasurySlippageBps);
  const draft = {
    partnerId,
    integrator,
    signer: caller.walletAddress as Address,
    termsAt: (expireAtSeconds: bigint) => ({
      ...{ kind: 'purchase' as const, goldAmount, usdcLimit, treasuryLimit, maxFeeBps, expireAtSeconds },
    }),
    columns: {
      ...{ goldAmount, usdcAmount, usdcLimit, treasuryLimit, maxFeeBps, metadata },
      quotedPrice: formatDecimal(price.price, -price.exponent),
    },
  };
  return placeOrder(ctx, caller, draft, settle);
}
