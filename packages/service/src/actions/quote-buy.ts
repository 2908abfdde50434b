import { IntegratorStatus, MarketState, type Config as ProgramConfig } from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { PriceReading } from '../chain/price.js';
import type { IntegratorEntry } from '../chain/program.js';
import type { Context } from '../context.js';
import { findTrader, type Trader } from '../db/traders.js';
import { asId, newId, type TradeId } from '../domain/ids.js';
import { type AmountFault, amountNumber, maxAmountBaseUnits, parseAmount } from '../domain/money.js';
import { requireOwn } from '../domain/ownership.js';
import type { Principal } from '../domain/principal.js';
import { type BuyAmounts, floorOf, quoteBuy as quoteBuyAmounts } from '../domain/quote.js';
import { AppError, invalidField } from '../errors.js';

/** A request for a quote as it came: a body of the right shape, nothing more. */
export interface QuoteBuyInput {
  service_user_id: string;
  /** USDC. */
  usdc_amount: number;
  slippage_bps?: number | undefined;
  /** GOLD; replaces the slippage. */
  min_gold_out?: number | undefined;
}

/** A quote; amounts are base units. */
export interface BuyQuote {
  tradeId: TradeId;
  usdcIn: bigint;
  goldOut: bigint;
  fee: bigint;
  feeBps: number;
  minGoldOut: bigint;
  price: PriceReading;
  /** Wire format, signed by the service. */
  transaction: Uint8Array;
  expiresAtMs: number;
  lastValidBlockHeight: bigint;
}

/** Basis points of slippage when a request names none. */
const defaultSlippageBps = 50;
const pausedTrades = 1;
/** The blockhash ends a transaction's life; this ends it even where time is told differently on chain. */
const expiryGraceSeconds = 30n;

/**
 * Quotes a buy and signs its transaction. Writes nothing. Throws, in this order: `invalid_request`, `user_not_found`,
 * `partner_mismatch`, `kyc_level_insufficient`, `user_suspended`, `wallet_missing`, `onchain_config_missing`,
 * `partner_suspended`, `pricing_unavailable`, `service_unavailable`.
 */
export async function quoteBuy(ctx: Context, principal: Principal, input: QuoteBuyInput): Promise<BuyQuote> {
  const usdcIn = positiveAmount(input.usdc_amount, 'usdc_amount');
  const wantedFloor =
    input.min_gold_out === undefined ? undefined : amountOf(input.min_gold_out, 'min_gold_out');
  const trader = await getTrader(ctx, principal, input.service_user_id);
  const integrator = getIntegrator(ctx, principal, trader);
  const config = ctx.chain.program.config();
  if (usdcIn > config.maxTradeUsdc) {
    throw invalidField('usdc_amount', `usdc_amount can be at most ${amountNumber(config.maxTradeUsdc)}.`);
  }
  const price = ctx.chain.price.current();
  const feeBps = feeBpsOf(config, integrator);
  const amounts = quoteBuyAmounts({ usdcIn, feeBps, ...price });
  if (amounts.goldOut === 0n) {
    throw invalidField('usdc_amount', 'usdc_amount is too small: it buys no gold after the fee.');
  }
  requireTradable(ctx, config, feeBps, amounts);
  const minGoldOut = wantedFloor ?? floorOf(amounts.goldOut, input.slippage_bps ?? defaultSlippageBps);
  return build(ctx, { usdcIn, minGoldOut, feeBps, amounts, price, trader, integrator, config });
}

/** Base units of a number in a request; 400 `invalid_request` naming `field` when it is no amount. */
export function amountOf(value: number, field: string): bigint {
  const parsed = parseAmount(value);
  if (typeof parsed === 'bigint') return parsed;
  const reasons: Record<AmountFault, string> = {
    not_finite: 'must be a number',
    negative: 'must not be negative',
    too_many_decimals: 'can have at most 6 decimals',
    too_large: `can be at most ${amountNumber(maxAmountBaseUnits)}`,
  };
  throw invalidField(field, `${field} ${reasons[parsed]}.`);
}

function positiveAmount(value: number, field: string): bigint {
  const amount = value < 0 ? 0n : amountOf(value, field);
  if (amount > 0n) return amount;
  throw invalidField(field, `${field} must be positive.`);
}

/** The user as a party of a trade of this partner, in a state that allows it. */
export async function getTrader(ctx: Context, principal: Principal, serviceUserId: string): Promise<Trader> {
  const id = asId('gu', serviceUserId);
  const trader = id && (await findTrader(ctx.db, id));
  if (!trader) throw new AppError('user_not_found', 'There is no user with this service_user_id.');
  requireOwn(principal, trader, 'user');
  if (trader.kycLevel !== 'full') {
    throw new AppError('kyc_level_insufficient', "The user's kyc_level is not full.");
  }
  if (trader.status !== 'active') throw new AppError('user_suspended', 'This user is suspended.');
  if (trader.partnerWallets.length === 0) {
    throw new AppError('wallet_missing', 'The partner has no active wallet.');
  }
  return trader;
}

/** The partner's integrator account, in a state that allows trades. */
export function getIntegrator(ctx: Context, principal: Principal, trader: Trader): IntegratorEntry {
  const integrator = ctx.chain.program.integrator(principal.partnerId);
  if (!integrator) {
    throw new AppError('onchain_config_missing', 'The partner is not set up on chain yet.');
  }
  if (!trader.partnerWallets.includes(integrator.data.partnerWallet)) {
    throw new AppError(
      'onchain_config_missing',
      'The wallet that the partner is set up with on chain is none of its active ones.',
    );
  }
  if (integrator.data.status !== IntegratorStatus.Active) {
    throw new AppError('partner_suspended', 'The partner is suspended on chain.');
  }
  return integrator;
}

function feeBpsOf(config: ProgramConfig, { data }: IntegratorEntry): number {
  return config.marketState === MarketState.Open ? data.openFeeBps : data.closedFeeBps;
}

/** What the program would refuse whoever asks: 503 `service_unavailable`, saying which. */
function requireTradable(ctx: Context, config: ProgramConfig, feeBps: number, amounts: BuyAmounts): void {
  const refuse = (message: string) => new AppError('service_unavailable', message);
  if ((config.paused & pausedTrades) !== 0) throw refuse('Trading is paused.');
  if (feeBps > config.maxFeeBps) throw refuse('The fee of the partner is above what the program allows.');
  if (ctx.chain.program.treasury().gold < amounts.goldOut) {
    throw refuse('The treasury does not hold enough gold for this trade.');
  }
}

interface Terms {
  usdcIn: bigint;
  minGoldOut: bigint;
  feeBps: number;
  amounts: BuyAmounts;
  price: PriceReading;
  trader: Trader;
  integrator: IntegratorEntry;
  config: ProgramConfig;
}

async function build(ctx: Context, terms: Terms): Promise<BuyQuote> {
  const { usdcIn, minGoldOut, feeBps, amounts, price, trader, integrator, config } = terms;
  const { blockhash, lastValidBlockHeight, expiresAtMs } = ctx.chain.blockhash.current();
  const tradeId = newId('trd');
  const { transaction } = await ctx.chain.trades.build({
    side: 'buy',
    tradeId,
    amountIn: usdcIn,
    minAmountOut: minGoldOut,
    maxFeeBps: feeBps,
    expireAtSeconds: BigInt(Math.ceil(expiresAtMs / 1000)) + expiryGraceSeconds,
    user: trader.walletAddress as Address,
    integrator,
    config,
    blockhash,
  });
  return {
    tradeId,
    usdcIn,
    goldOut: amounts.goldOut,
    fee: amounts.fee,
    feeBps,
    minGoldOut,
    price,
    transaction,
    expiresAtMs,
    lastValidBlockHeight,
  };
}
