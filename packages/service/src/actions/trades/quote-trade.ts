import { IntegratorStatus, MarketState, type Config as ProgramConfig } from '@karat/program-client';
import type { TradeSide, TradeTerms } from '../../chain/build/build-trade.js';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import type { PriceReading } from '../../chain/program/price.js';
import type { Context } from '../../context.js';
import type { Trader } from '../../db/trades/traders.js';
import { newId, type TradeId } from '../../domain/ids.js';
import { expireAtSecondsOf } from '../../domain/lifetime.js';
import { madeAccounts } from '../../domain/limits.js';
import {
  type AmountFault,
  amountNumber,
  maxAmountBaseUnits,
  parseAmount,
  parseFloor,
} from '../../domain/money.js';
import type { Principal } from '../../domain/principal.js';
import {
  ceilingOf,
  floorOf,
  goldForUsdc,
  type OraclePrice,
  quoteBuy,
  quoteSell,
  usdcForGold,
} from '../../domain/quote.js';
import type { VelocityAmounts } from '../../domain/velocity.js';
import { AppError, invalidField, partnerSuspended, unavailable } from '../../errors.js';
import { counted } from '../../metrics/counted.js';
import { requireUnpaused } from '../program/require-unpaused.js';
import { type Caller, getNamedTrader } from './find-named-trader.js';
import { forQuote } from './for-quote.js';
import { requireOutflow, requirePartnerLimit, requireStock } from './require-daily-limits.js';
import { requireSellable } from './require-sellable.js';

/** A request for a quote as it came: values of the right types, nothing more. */
export interface QuoteTradeInput {
  side: TradeSide;
  serviceUserId: string;
  /** USDC of a buy, GOLD of a sell; undefined: `amountOut` is given. */
  amount: number | undefined;
  /** GOLD of a buy, USDC of a sell: the least that is expected of the trade, which then costs as little as it can. */
  amountOut: number | undefined;
  slippageBps: number | undefined;
  /** GOLD of a buy, USDC of a sell; replaces the slippage. */
  minAmountOut: number | undefined;
}

/** A quote; amounts are base units. */
export interface TradeQuote {
  side: TradeSide;
  tradeId: TradeId;
  /** USDC of a buy, GOLD of a sell. */
  amountIn: bigint;
  /** GOLD of a buy, USDC of a sell after the fee. */
  amountOut: bigint;
  /** USDC. */
  fee: bigint;
  feeBps: number;
  minAmountOut: bigint;
  /** Above it the trade fails: the price has moved against the treasury. */
  maxAmountOut: bigint;
  price: PriceReading;
  /** Wire format, signed by the service. */
  transaction: Uint8Array;
  expiresAtMs: number;
  lastValidBlockHeight: bigint;
}

/** Basis points of slippage when a request names none. */
const defaultSlippageBps = 50;

/** How callers know the amounts of a side. */
const fields = {
  buy: { amount: 'usdc_amount', amountOut: 'gold_amount', floor: 'min_gold_out' },
  sell: { amount: 'gold_amount', amountOut: 'usdc_amount', floor: 'min_usdc_out' },
} as const;

type AmountField = (typeof fields)[TradeSide]['amount'];

/**
 * Quotes a buy or a sell and signs its transaction. Writes nothing to the database. Throws, in this order:
 * `invalid_request`, `user_not_found`, `partner_mismatch`, `kyc_level_insufficient`, `user_suspended`,
 * `wallet_not_allowed`, `wallet_missing`, `onchain_config_missing`, `partner_suspended`, `rate_limited` (its transactions
 * have cost the service too much within the hour), `pricing_unavailable` (no usable price of gold or, for a buy, of USDC, or the node does not respond), `service_unavailable`,
 * `limit_exceeded`. An amount that is too large or too small at the present price is `invalid_request`, thrown once
 * the price is known.
 */
export function quoteTrade(ctx: Context, caller: Caller, input: QuoteTradeInput): Promise<TradeQuote> {
  return counted(ctx.metrics.quotes, input.side, quote(ctx, caller, input));
}

async function quote(ctx: Context, caller: Caller, input: QuoteTradeInput): Promise<TradeQuote> {
  const { side } = input;
  const wanted = namedAmount(input);
  const wantedFloor =
    input.minAmountOut === undefined ? undefined : floorIn(input.minAmountOut, fields[side].floor);
  const trader = await getTrader(ctx, caller, input.serviceUserId);
  const integrator = getIntegrator(ctx, caller, trader);
  ctx.feeBudgets.requireLeft(caller.partnerId);
  const config = forQuote(() => ctx.chain.program.config());
  const worth = worthOf(ctx, side, wanted, { config, integrator, trader });
  const { amountOut } = worth;
  const minAmountOut = wantedFloor ?? floorOf(amountOut, input.slippageBps ?? defaultSlippageBps);
  const maxAmountOut = ceilingOf(amountOut);
  return makeQuote(ctx, worth, { side, minAmountOut, maxAmountOut, trader, integrator, config });
}

/** What a quote is about before its transaction is made. */
type Worth = Pick<TradeQuote, 'amountIn' | 'amountOut' | 'fee' | 'feeBps' | 'price'>;

/** Returns what a trade comes to at the present price. Throws what `quoteTrade` throws once caller and user are known to be good. */
function worthOf(
  ctx: Context,
  side: TradeSide,
  { field, amount, isOut }: NamedAmount,
  { config, integrator, trader }: Parties,
): Worth {
  const limits = { minTradeUsdc: trader.minTradeUsdc, maxTradeUsdc: config.settings.maxTradeUsdc };
  // What a buy is worth is known before the price is.
  if (side === 'buy' && !isOut) requireAllowedSize(limits, field, amount);
  const price = ctx.chain.price.current();
  const feeBps = feeBpsOf(config, integrator);
  const amountIn = isOut ? amountInFor(side, amount, feeBps, price) : amount;
  const figures = figuresOf(side, amountIn, feeBps, price);
  requireAllowedSize(limits, field, figures.usdcValue, amount);
  if (figures.amountOut === 0n) throw tooSmall(side);
  requirePartnerLimit(ctx, integrator, figures.usdcValue, field);
  requireTradable(ctx, config, side, feeBps, figures);
  return { amountIn, amountOut: figures.amountOut, fee: figures.fee, feeBps, price };
}

/** With whom a trade is made: program and partner as the chain has them, and the user. */
interface Parties {
  config: ProgramConfig;
  integrator: IntegratorEntry;
  trader: Trader;
}

/** Makes and signs the transaction of a quote. */
async function makeQuote(
  ctx: Context,
  { amountIn, amountOut, fee, feeBps, price }: Worth,
  terms: Parties & Pick<TradeTerms, 'side' | 'minAmountOut' | 'maxAmountOut'>,
): Promise<TradeQuote> {
  const { side, minAmountOut, maxAmountOut, trader, integrator, config } = terms;
  const { blockhash, lastValidBlockHeight, expiresAtMs } = forQuote(() => ctx.chain.blockhash.current());
  const tradeId = newId('trd');
  const amounts = amountsOf(side, amountIn, maxAmountOut);
  await ctx.reservations.reserve(trader, { id: tradeId, expiresAtMs, amounts });
  const making = ctx.chain.trades.build({
    side,
    tradeId,
    amountIn,
    minAmountOut,
    maxAmountOut,
    maxFeeBps: feeBps,
    expireAtSeconds: expireAtSecondsOf(expiresAtMs),
    user: trader.walletAddress,
    userPaysRent: paysRent(ctx, trader),
    integrator,
    config,
    blockhash,
  });
  const transaction = await ctx.reservations.made(tradeId, making);
  return {
    side,
    tradeId,
    amountIn,
    amountOut,
    fee,
    feeBps,
    minAmountOut,
    maxAmountOut,
    price,
    transaction,
    expiresAtMs,
    lastValidBlockHeight,
  };
}

/** Returns whether so many token accounts were made for a user within a day that the user pays for the next one. */
function paysRent({ clock }: Context, { accountsMadeMs }: Trader): boolean {
  return accountsMadeMs !== null && clock.now() < accountsMadeMs + madeAccounts.windowMs;
}

/** Returns what a trade moves of each token. */
export function amountsOf(side: TradeSide, amountIn: bigint, amountOut: bigint): VelocityAmounts {
  return side === 'buy' ? { usdc: amountIn, gold: amountOut } : { usdc: amountOut, gold: amountIn };
}

/** The amount that a request names, in base units, and whether it is what the trade gives instead of what it takes. */
interface NamedAmount {
  field: AmountField;
  amount: bigint;
  isOut: boolean;
}

function namedAmount({ side, amount, amountOut }: QuoteTradeInput): NamedAmount {
  const names = fields[side];
  if (amount !== undefined && amountOut === undefined)
    return { field: names.amount, amount: positiveAmount(amount, names.amount), isOut: false };
  if (amountOut === undefined)
    throw invalidField(names.amount, `${names.amount} is required, or ${names.amountOut} instead.`);
  if (amount !== undefined)
    throw invalidField(names.amountOut, `Give ${names.amount} or ${names.amountOut}, not both.`);
  return { field: names.amountOut, amount: positiveAmount(amountOut, names.amountOut), isOut: true };
}

/** Returns the smallest amount that a trade takes which is expected to give at least `amountOut`. */
function amountInFor(side: TradeSide, amountOut: bigint, feeBps: number, price: OraclePrice): bigint {
  const amountIn =
    side === 'buy'
      ? usdcForGold({ goldOut: amountOut, feeBps, price: price.price, exponent: price.exponent })
      : goldForUsdc({ usdcOut: amountOut, feeBps, price: price.price, exponent: price.exponent });
  if (amountIn !== undefined && amountIn <= maxAmountBaseUnits) return amountIn;
  const field = fields[side].amountOut;
  throw invalidField(field, `${field} is too large: no trade gives so much.`);
}

/** Returns base units of a number in a request; 400 `invalid_request` naming `field` when it is no amount. */
export const amountOf = (value: number, field: string): bigint => requireAmount(parseAmount(value), field);

/** Returns the same of the least that a trade may give, which may have more decimals. */
const floorIn = (value: number, field: string): bigint => requireAmount(parseFloor(value), field);

function requireAmount(parsed: bigint | AmountFault, field: string): bigint {
  if (typeof parsed === 'bigint') return parsed;
  const reasons: Record<AmountFault, string> = {
    not_finite: 'must be a number',
    negative: 'must not be negative',
    too_many_decimals: 'can have at most 6 decimals',
    too_large: `can be at most ${amountNumber(maxAmountBaseUnits)}`,
  };
  throw invalidField(field, `${field} ${reasons[parsed]}.`);
}

/**
 * Returns base units of a number in a request that must be positive; 400 `invalid_request` naming `field` otherwise.
 */
export function positiveAmount(value: number, field: string): bigint {
  const amount = value < 0 ? 0n : amountOf(value, field);
  if (amount > 0n) return amount;
  throw invalidField(field, `${field} must be positive.`);
}

/** Returns the user as a party of a trade of this partner, in a state that allows it. */
async function getTrader(ctx: Context, caller: Caller, serviceUserId: string): Promise<Trader> {
  const trader = await getNamedTrader(ctx, caller, serviceUserId);
  if (trader.partnerWallets.length > 0) return trader;
  throw new AppError('wallet_missing', 'The partner has no active wallet.');
}

/** Returns the partner's integrator account, in a state that allows trades. */
export function getIntegrator(ctx: Context, principal: Principal, trader: Trader): IntegratorEntry {
  const integrator = forQuote(() => ctx.chain.program.integrator(principal.partnerId));
  if (!integrator) {
    throw new AppError('onchain_config_missing', 'The partner is not set up on chain yet.');
  }
  if (!trader.partnerWallets.includes(integrator.data.partnerWallet)) {
    throw new AppError(
      'onchain_config_missing',
      'The wallet that the partner is set up with on chain is not one of its active wallets.',
    );
  }
  if (integrator.data.status !== IntegratorStatus.Active) {
    throw partnerSuspended('The partner is suspended on chain.');
  }
  return integrator;
}

/** What a trade comes to at the present price, base units. */
interface TradeFigures {
  amountOut: bigint;
  fee: bigint;
  /** What the program holds against its limit: USDC of a buy, the sold gold's worth before the fee. */
  usdcValue: bigint;
}

function figuresOf(side: TradeSide, amountIn: bigint, feeBps: number, price: OraclePrice): TradeFigures {
  if (side === 'buy') {
    const { goldOut, fee } = quoteBuy({
      usdcIn: amountIn,
      feeBps,
      price: price.price,
      exponent: price.exponent,
    });
    return { amountOut: goldOut, fee, usdcValue: amountIn };
  }
  const { usdcOut, fee, gross } = quoteSell({
    goldIn: amountIn,
    feeBps,
    price: price.price,
    exponent: price.exponent,
  });
  return { amountOut: usdcOut, fee, usdcValue: gross };
}

/** Returns the fee of a partner's trades in the present state of the market, in basis points. */
export function feeBpsOf(config: ProgramConfig, { data }: IntegratorEntry): number {
  return config.marketState === MarketState.Open ? data.openFeeBps : data.closedFeeBps;
}

/** What a trade is worth at least and at most, base units of USDC. */
interface AllowedSize {
  minTradeUsdc: bigint;
  maxTradeUsdc: bigint;
}

/** @param amount what the field has, in base units, where that need not be USDC. */
function requireAllowedSize(
  { minTradeUsdc, maxTradeUsdc }: AllowedSize,
  field: AmountField,
  usdcValue: bigint,
  amount = usdcValue,
): void {
  if (minTradeUsdc <= usdcValue && usdcValue <= maxTradeUsdc) return;
  const isSmall = usdcValue < minTradeUsdc;
  const limit = amountNumber(isSmall ? minTradeUsdc : maxTradeUsdc);
  const [verb, bound] = isSmall ? ['must', 'at least'] : ['can', 'at most'];
  const message =
    field === 'usdc_amount' && amount === usdcValue
      ? `${field} ${verb} be ${bound} ${limit}.`
      : `${field} is worth ${amountNumber(usdcValue)} USDC; a trade ${verb} be worth ${bound} ${limit}.`;
  throw invalidField(field, message, isSmall ? undefined : 'limit_exceeded');
}

function tooSmall(side: TradeSide): AppError {
  const field = fields[side].amount;
  const outcome = side === 'buy' ? 'it buys no gold after the fee' : 'it brings no USDC after the fee';
  return invalidField(field, `${field} is too small: ${outcome}.`);
}

/** Throws 503 `service_unavailable`, with the reason, for what the program would refuse from any caller. */
function requireTradable(
  ctx: Context,
  config: ProgramConfig,
  side: TradeSide,
  feeBps: number,
  { amountOut, usdcValue }: TradeFigures,
): void {
  requireUnpaused(config, 'trade');
  if (feeBps > config.settings.maxFeeBps)
    throw unavailable('The fee of the partner is above what the program allows.');
  if (side === 'buy') requireSellable(ctx, config);
  const unfit = ctx.chain.signerFault();
  if (unfit !== undefined) throw unavailable(unfit);
  const treasury = forQuote(() => ctx.chain.program.treasury());
  // The fee of a sell is paid by the treasury too, out of the gold's worth.
  const [token, gives] = side === 'buy' ? (['gold', amountOut] as const) : (['usdc', usdcValue] as const);
  requireStock(treasury, token, gives, 'trade');
  requireOutflow(ctx, config, token, gives);
}
