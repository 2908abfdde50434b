import { caseFolded } from './case-folding.js';
import { parseDecimal } from './money.js';
import { isCloseTo, milligram, tonne, troyOunce, weightDecimals } from './weight.js';

/** Units of mass as English labels write them, and their mass in 10^-7 g. Gold is weighed in troy ounces. */
const units: readonly (readonly [words: string, mass: bigint])[] = [
  ['mg|milligram(?:me)?s?', milligram],
  ['g|grs?|gms?|gram(?:me)?s?', 10_000_000n],
  ['kgs?|kilos?|kilobars?|kilogram(?:me)?s?', 10_000_000_000n],
  ['tonnes?|metric tons?', tonne],
  ['(?:fine )?(?:troy )?(?:ounces?|ozs?)(?:\\.? ?tr?)?|t\\.? ?oz', troyOunce],
  ['tolah?s?', 116_638_038n],
  ['taels?', 374_290_000n],
  ['bahts?', 152_440_000n],
];

const numberWords = new Map<string, readonly [bigint, bigint]>([
  ['quarter', [1n, 4n]],
  ['half', [1n, 2n]],
  ['a', [1n, 1n]],
  ['an', [1n, 1n]],
  ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'].map(
    (word, index) => [word, [BigInt(index + 1), 1n]] as const,
  ),
  ['hundred', [100n, 1n]],
]);

const decimal = "\\d{1,3}(?:[ ,']\\d{3})+(?:\\.\\d+)?|\\d+(?:[.,]\\d+)?";
const words = `\\b(?:${[...numberWords.keys()].join('|')})(?= an? |[ -])`;
const amount = `(?:(?<whole>\\d+) )?(?<over>\\d+) ?/ ?(?<under>\\d+)|(?<decimal>${decimal})|(?<word>${words})(?: an?(?= ))?`;
const unit = units.map(([names]) => `(${names})`).join('|');
const massPattern = new RegExp(
  `(?:(?<count>\\d{1,6}) ?[x×*] ?)?(?:${amount})[ -]*(?<unit>${unit})(?![\\p{L}\\p{N}])`,
  'gu',
);

/**
 * Returns the first mass in a label that differs from the weight of the piece by more than the tolerance; undefined when
 * there is none: "1 oz (31 g)" is off by 0.33 %. Reads whole and decimal numbers, fractions and counts ("1/2 oz", "5 x 10 g") in
 * the digits of any script, before mg, g, kg, tonne, (troy) ounce, tola, tael and baht.
 * @param weightG grams, as decimal text with at most 7 decimals.
 */
export function findContradictingMass(label: string, weightG: string): string | undefined {
  const weight = parseDecimal(weightG, weightDecimals);
  if (weight === undefined) throw new Error(`not a weight: ${weightG}`);
  for (const match of toPlainText(label).matchAll(massPattern)) {
    const [over, under] = readMass(match);
    if (!isCloseTo(over, weight * under)) return match[0].trim();
  }
  return undefined;
}

/** Reads the mass of a match in 10^-7 g, as a fraction; a fraction of zero parts counts as no mass at all. */
function readMass({ groups = {} }: RegExpMatchArray): readonly [bigint, bigint] {
  const { count = '1', whole = '0', over, under = '1', decimal, word } = groups;
  const mass = BigInt(count) * massOfUnit(groups.unit ?? '');
  const named = word === undefined ? undefined : numberWords.get(word);
  if (named) return [mass * named[0], named[1]];
  if (over !== undefined) {
    const parts = BigInt(under);
    return parts === 0n ? [0n, 1n] : [mass * (BigInt(whole) * parts + BigInt(over)), parts];
  }
  const [integer = '', fraction = ''] = toPoint(decimal ?? '').split('.');
  return [mass * BigInt(integer + fraction), 10n ** BigInt(fraction.length)];
}

function massOfUnit(text: string): bigint {
  const found = units.find(([names]) => new RegExp(`^(?:${names})$`).test(text));
  if (!found) throw new Error(`not a unit: ${text}`);
  return found[1];
}

/**
 * Returns a number with a decimal point alone: groups of three digits are joined, and a decimal comma becomes a point.
 */
function toPoint(number: string): string {
  if (/^\d{1,3}(?:[ ,']\d{3})+(?:\.\d+)?$/.test(number)) return number.replace(/[ ,']/g, '');
  return number.replace(',', '.');
}

/**
 * Returns a label in small letters with single spaces, the digits 0 to 9, and fractions such as ½ written out, without the
 * characters that are not shown.
 */
function toPlainText(label: string): string {
  const shown = label
    .replace(/(\d)(?=\p{No})/gu, '$1 ')
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replaceAll('\u2044', '/')
    .replaceAll('\u066b', '.')
    .replace(/\p{Nd}/gu, toAsciiDigit)
    .replace(/\s+/gu, ' ');
  return caseFolded(shown);
}

/**
 * Returns the ASCII digit of any Unicode digit: the ten digits of a script are consecutive, and their zero is first.
 */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const value = [0, 1, 2, 3, 4, 5, 6, 7, 8].find(
    (each) => !/\p{Nd}/u.test(String.fromCodePoint(code - each - 1)),
  );
  return String(value ?? 9);
}
