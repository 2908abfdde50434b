/** USDC and GOLD both have 6 decimals on chain: 1 token = 1,000,000 base units. */
export const tokenDecimals = 6;

/** 1 SOL = 10^9 lamports. */
export const lamportDecimals = 9;

/**
 * An amount of one token in base units. The token is part of the type wherever it is certain: on the columns, in what is
 * recorded and in what a quote comes to, so that GOLD cannot stand where USDC belongs, nor a slot or a price for either.
 * Arithmetic gives a plain `bigint`, which `goldUnits` and `usdcUnits` mark again. Amounts whose token depends on a side, and
 * sums that may be negative, stay plain: a brand would have to be put on and taken off at every step there.
 */
export type BaseUnits<Token extends 'gold' | 'usdc'> = bigint & { readonly __token: Token };
export type Gold = BaseUnits<'gold'>;
export type Usdc = BaseUnits<'usdc'>;

/** Marks base units as GOLD. */
export function goldUnits(amount: bigint): Gold {
  return amount as Gold;
}

/** Marks base units as USDC. */
export function usdcUnits(amount: bigint): Usdc {
  return amount as Usdc;
}

const unitsPerToken = 10n ** BigInt(tokenDecimals);
const unitsPerTokenNumber = 10 ** tokenDecimals;

/** Largest amount a request may name, in base units: what a JSON number carries exactly. */
export const maxAmountBaseUnits = 2n ** 53n;

/** Why a number in a request is no amount. */
export type AmountFault = 'not_finite' | 'too_many_decimals' | 'too_large' | 'negative';

/**
 * Returns base units of a JSON number such as `100.25` (6 decimals: 100250000n), exactly.
 *
 * The number is read back from its shortest decimal text, never multiplied as a float. Up to 2^33 tokens that text is
 * what the sender wrote, because neighbouring doubles are closer than 10^-6 there; above, up to the limit of 2^53 base
 * units, it is the double that the sender's JSON stands for.
 */
export function parseAmount(value: number): bigint | AmountFault {
  // The usual number, without its text: a quotient is the double nearest to the decimal, and no other decimal shares it.
  if (value >= 0 && value < 2 ** 33) {
    const units = Math.round(value * unitsPerTokenNumber);
    if (units / unitsPerTokenNumber === value) return BigInt(units);
  }
  if (!Number.isFinite(value)) return 'not_finite';
  const parsed = parseDecimal(decimalText(value), tokenDecimals);
  if (parsed === undefined) return Math.abs(value) > 1e10 ? 'too_large' : 'too_many_decimals';
  if (parsed < 0n) return 'negative';
  if (parsed > maxAmountBaseUnits) return 'too_large';
  return parsed;
}

/** Reads the least that a trade may give as `parseAmount` does, but rounds what has more decimals up, so that no user gets less. */
export function parseFloor(value: number): bigint | AmountFault {
  const parsed = parseAmount(value);
  if (parsed !== 'too_many_decimals') return parsed;
  if (value < 0) return 'negative';
  const [whole = '', fraction = ''] = decimalText(value).split('.');
  return BigInt(whole + fraction.slice(0, tokenDecimals)) + 1n;
}

/**
 * Integer `value` x 10^decimals of a JSON number, exactly, read back from its shortest text as `parseAmount` does. Undefined
 * when it is negative, no number, or has more decimals than that.
 */
export function parseNumber(value: number, decimals: number): bigint | undefined {
  const parsed = Number.isFinite(value) ? parseDecimal(decimalText(value), decimals) : undefined;
  return parsed !== undefined && parsed >= 0n ? parsed : undefined;
}

/** Integer `text` x 10^decimals, or undefined when it is no plain decimal or has more decimals than that. */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const significant = fraction.replace(/0+$/, '');
  if (significant.length > decimals) return undefined;
  const digits = BigInt(whole + significant.padEnd(decimals, '0'));
  return sign === '-' ? -digits : digits;
}

/** Decimal text of an integer x 10^-decimals without trailing zeros: `formatDecimal(100250000n, 6)` is `100.25`. */
export function formatDecimal(value: bigint, decimals: number): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Decimal text with exactly `decimals` digits after the point, as `tokens_required` is written. */
export function formatFixed(value: bigint, decimals: number): string {
  const [whole = '0', fraction = ''] = formatDecimal(value, decimals).split('.');
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`;
}

/** Returns the JSON number of an amount in base units: the very digits of every amount up to 2^33 tokens. */
export function amountNumber(baseUnits: bigint): number {
  // A division of two integers that doubles hold is rounded to the double nearest to the decimal, which is what its text
  // would be read as.
  if (-maxAmountBaseUnits <= baseUnits && baseUnits <= maxAmountBaseUnits) {
    return Number(baseUnits) / Number(unitsPerToken);
  }
  return decimalNumber(formatDecimal(baseUnits, tokenDecimals));
}

/** Returns the JSON number of decimal text of at most 15 digits, such as a weight or a price: the same digits. */
export function decimalNumber(text: string): number {
  return Number(text);
}

/** Plain decimal text of a finite double: its shortest text, with an exponent such as 1e-7 written out. */
function decimalText(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', first = '', rest = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  const digits = first + rest;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return `${sign}${digits.padEnd(exponent + 1, '0')}`;
}
