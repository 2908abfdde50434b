/**
 * The arithmetic of trades. The on-chain program computes the same integers from the same inputs; rounding is always
 * against the caller, so the vault can never be short.
 *
 * Amounts are base units (6 decimals for USDC and GOLD alike, so that the decimals cancel). An oracle price is
 * `price x 10^exponent` US dollars per troy ounce, an exact rational.
 */

import {
  decimalNumber,
  formatDecimal,
  type Gold,
  goldUnits,
  parseDecimal,
  type Usdc,
  usdcUnits,
} from './money.js';

/** An oracle price: `price` > 0, `exponent` from -12 to 0. */
export interface OraclePrice {
  price: bigint;
  exponent: number;
}

const bpsScale = 10_000n;

/** `fee = ceil(usdcIn x feeBps / 10000)`; `goldOut = floor((usdcIn - fee) / p)`. */
export function quoteBuy(input: { usdcIn: bigint; feeBps: number } & OraclePrice) {
  const fee = feeOf(input.usdcIn, input.feeBps);
  const goldOut = ((input.usdcIn - fee) * scaleOf(input.exponent)) / input.price;
  return { fee, goldOut: goldUnits(goldOut) };
}

/** `gross = floor(goldIn x p)`; `fee = ceil(gross x feeBps / 10000)`; `usdcOut = gross - fee`. */
export function quoteSell(input: { goldIn: bigint; feeBps: number } & OraclePrice) {
  const gross = (input.goldIn * input.price) / scaleOf(input.exponent);
  const fee = feeOf(gross, input.feeBps);
  return { gross: usdcUnits(gross), fee, usdcOut: usdcUnits(gross - fee) };
}

/**
 * Returns the smallest payment for which `quoteBuy` gives at least `goldOut`; undefined when no payment does, because the
 * fee takes all of it.
 */
export function usdcForGold(input: { goldOut: bigint; feeBps: number } & OraclePrice): Usdc | undefined {
  return grossFor(ceilDiv(input.goldOut * input.price, scaleOf(input.exponent)), input.feeBps);
}

/** Returns the least gold for which `quoteSell` gives at least `usdcOut`; undefined likewise. */
export function goldForUsdc(input: { usdcOut: bigint; feeBps: number } & OraclePrice): Gold | undefined {
  const gross = grossFor(input.usdcOut, input.feeBps);
  return gross === undefined ? undefined : goldUnits(ceilDiv(gross * scaleOf(input.exponent), input.price));
}

/**
 * Returns the smallest amount that is at least `net` without its fee: `gross - ceil(gross x feeBps / 10000)` is
 * `floor(gross x (10000 - feeBps) / 10000)`.
 */
function grossFor(net: bigint, feeBps: number): Usdc | undefined {
  const kept = bpsScale - BigInt(feeBps);
  return kept <= 0n ? undefined : usdcUnits(ceilDiv(net * bpsScale, kept));
}

/**
 * Returns what a partner's purchase of `goldOut` costs its vault: `net = ceil(goldOut x p)`;
 * `fee = ceil(net x feeBps / (10000 - feeBps))`; `usdcIn = net + fee`. `feeBps` is below 10000.
 */
export function quotePurchase(input: { goldOut: bigint; feeBps: number } & OraclePrice) {
  const net = ceilDiv(input.goldOut * input.price, scaleOf(input.exponent));
  const fee = usdcUnits(ceilDiv(net * BigInt(input.feeBps), bpsScale - BigInt(input.feeBps)));
  return { net: usdcUnits(net), fee, usdcIn: usdcUnits(net + fee) };
}

const maxU64 = 2n ** 64n - 1n;

/** How far the price may move against the treasury between quote and execution, in basis points. */
export const treasurySlippageBps = 100;

/** Returns the most that the treasury gives for a quoted amount: `floor(quoted x (10000 + slippageBps) / 10000)`. */
export function ceilingOf(quoted: bigint, slippageBps = treasurySlippageBps): bigint {
  const ceiling = (quoted * (bpsScale + BigInt(slippageBps))) / bpsScale;
  return ceiling < maxU64 ? ceiling : maxU64;
}

/** Returns the slippage floor of a quoted amount: `floor(quoted x (10000 - slippageBps) / 10000)`. */
export function floorOf(quoted: bigint, slippageBps: number): bigint {
  return (quoted * (bpsScale - BigInt(slippageBps))) / bpsScale;
}

/** Maximum decimals of a price in a response. */
const priceDecimals = 8;

/** Decimal text of a price in US dollars per troy ounce: what the oracle gives, rounded half up to 8 decimals. */
export function priceText({ price, exponent }: OraclePrice): string {
  const surplus = -exponent - priceDecimals;
  if (surplus <= 0) return formatDecimal(price, -exponent);
  const unit = 10n ** BigInt(surplus);
  return formatDecimal((price + unit / 2n) / unit, priceDecimals);
}

export function priceNumber(price: OraclePrice): number {
  return decimalNumber(priceText(price));
}

function feeOf(usdc: bigint, feeBps: number): Usdc {
  return usdcUnits(ceilDiv(usdc * BigInt(feeBps), bpsScale));
}

function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

const scales = Array.from({ length: 13 }, (_, exponent) => 10n ** BigInt(exponent));

function scaleOf(exponent: number): bigint {
  return scales[-exponent] ?? 10n ** BigInt(-exponent);
}

/** Decimals of the columns that keep prices. */
const storedPriceDecimals = 12;

/**
 * Returns a price as the database gives it (USD per troy ounce, plain decimal text) as a number for JSON, see
 * `priceNumber`.
 */
export function storedPriceNumber(text: string): number {
  const price = parseDecimal(text, storedPriceDecimals) ?? 0n;
  return priceNumber({ price, exponent: -storedPriceDecimals });
}

/** Returns a stored price as a number for JSON; null if there is none. */
export function storedPriceOrNull(text: string | null | undefined): number | null {
  return text == null ? null : storedPriceNumber(text);
}
