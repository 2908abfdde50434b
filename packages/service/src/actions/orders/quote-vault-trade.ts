import { IntegratorStatus, type Config as ProgramConfig } from '@karat/program-client';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import type { PriceReading } from '../../chain/program/price.js';
import { readVault } from '../../chain/program/vault.js';
import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/ids.js';
import { nodeShares } from '../../domain/limits.js';
import { amountNumber, type Gold, goldUnits, type Usdc } from '../../domain/money.js';
import { quotePurchase, quoteSell } from '../../domain/quote.js';
import { AppError, invalidField, partnerSuspended, unavailable } from '../../errors.js';
import { takeNodeCalls } from '../limits/take-node-calls.js';
import { requireUnpaused } from '../program/require-unpaused.js';
import { feeBpsOf, positiveAmount } from '../trades/quote-trade.js';
import { requireOutflow, requirePartnerLimit, requireStock } from '../trades/require-daily-limits.js';
import { requireSellable, requireSide } from '../trades/require-sellable.js';
import { getIntegratorOf } from './place-order.js';

export type VaultTradeSide = 'purchase' | 'sale';

/** What a trade of a partner's vault comes to at the present price. Amounts are base units. */
export interface VaultTradeQuote {
  side: VaultTradeSide;
  partnerId: Uuid;
  integrator: IntegratorEntry;
  config: ProgramConfig;
  price: PriceReading;
  feeBps: number;
  gold: Gold;
  /** What a purchase costs with the fee; what a sale brings after it. */
  usdc: Usdc;
  /** What the treasury gives: GOLD of a purchase, USDC of a sale with the fee. */
  treasuryGives: bigint;
}

/**
 * Quotes a purchase or sale of a partner's vault, by the arithmetic of the program. Throws `invalid_request` for an
 * amount that is none or too large, `onchain_config_missing`, `partner_suspended` or `pricing_unavailable`.
 */
export function quoteVaultTrade(
  ctx: Context,
  partnerId: Uuid,
  side: VaultTradeSide,
  goldAmount: number,
): VaultTradeQuote {
  const gold = goldUnits(positiveAmount(goldAmount, 'goldAmount'));
  const integrator = getIntegratorOf(ctx, partnerId);
  if (integrator.data.status !== IntegratorStatus.Active) {
    throw partnerSuspended('The partner is suspended on chain.');
  }
  const config = ctx.chain.program.config();
  const price = ctx.chain.price.current();
  const feeBps = feeBpsOf(config, integrator);
  const { usdc, worth, treasuryGives } = figuresOf(side, { gold, feeBps, price });
  const { maxTradeUsdc } = config.settings;
  if (worth > maxTradeUsdc) {
    const limit = amountNumber(maxTradeUsdc);
    const text = `goldAmount comes to ${amountNumber(worth)} USDC; a trade can be worth at most ${limit}.`;
    throw invalidField('goldAmount', text, 'limit_exceeded');
  }
  requirePartnerLimit(ctx, integrator, worth, 'goldAmount');
  if (usdc === 0n) {
    throw invalidField('goldAmount', 'goldAmount is too small: it brings no USDC after the fee.');
  }
  return { side, partnerId, integrator, config, price, feeBps, gold, usdc, treasuryGives };
}

/** Returns the figures of a trade; `worth` is what the program compares with its largest trade. */
function figuresOf(
  side: VaultTradeSide,
  { gold, feeBps, price }: { gold: Gold; feeBps: number; price: PriceReading },
): { usdc: Usdc; worth: Usdc; treasuryGives: bigint } {
  if (side === 'purchase') {
    const { usdcIn } = quotePurchase({ goldOut: gold, feeBps, ...price });
    return { usdc: usdcIn, worth: usdcIn, treasuryGives: gold };
  }
  const { usdcOut, gross } = quoteSell({ goldIn: gold, feeBps, ...price });
  return { usdc: usdcOut, worth: gross, treasuryGives: gross };
}

/** Requires that the vault holds what it pays, by a call to the node. Throws `insufficient_reserve` or `rate_limited`. */
export async function requireReserve(ctx: Context, quote: VaultTradeQuote): Promise<void> {
  const { side, gold, usdc } = quote;
  const [token, wanted] = side === 'purchase' ? (['usdc', usdc] as const) : (['gold', gold] as const);
  await requireInVault(ctx, quote, token, wanted);
}

/**
 * Throws `insufficient_reserve` if a partner's vault holds less than so many base units of a token, by a call to the node, and
 * `rate_limited` when there is no room for that call.
 */
export async function requireInVault(
  ctx: Context,
  { partnerId, integrator }: Pick<VaultTradeQuote, 'partnerId' | 'integrator'>,
  token: 'gold' | 'usdc',
  wanted: bigint,
): Promise<void> {
  const request = { caller: partnerId, use: 'trade', calls: 1 } as const;
  await takeNodeCalls(ctx, request, AbortSignal.timeout(nodeShares.waitMs));
  const held = (await readVault({ rpc: ctx.chain.callers.trade }, integrator))[token];
  if (held >= wanted) return;
  const name = token.toUpperCase();
  const text = `The vault holds ${amountNumber(held)} ${name}; this needs ${amountNumber(wanted)}.`;
  throw new AppError('insufficient_reserve', text);
}

/** Throws 503 `service_unavailable`, with the reason, for what the program would refuse from any caller. */
export function requireVaultsTradable(ctx: Context, quote: VaultTradeQuote): void {
  const { side, integrator, config, feeBps, treasuryGives } = quote;
  requireUnpaused(config, 'partner');
  if (feeBps > config.settings.maxFeeBps)
    throw unavailable('The fee of the partner is above what the program allows.');
  requireSide(ctx, config, integrator, side);
  if (side === 'purchase') requireSellable(ctx, config);
  const token = side === 'purchase' ? 'gold' : 'usdc';
  requireStock(ctx.chain.program.treasury(), token, treasuryGives, side);
  requireOutflow(ctx, config, token, treasuryGives);
}
