import { invalidField, notAllowed } from '../errors.js';
import { parseDecimal, parseNumber } from './money.js';
import {
  finenessDecimals,
  finenessText,
  gramsText,
  isCloseTo,
  maxWeight,
  minFineness,
  pureFineness,
  tolerance,
  weightDecimals,
} from './weight.js';

/** In the order in which a bar goes through them; `withdrawn` is where one ends that is not handed over. */
export const barStatuses = ['in_stock', 'reserved', 'handed_over', 'withdrawn'] as const;
export type BarStatus = (typeof barStatuses)[number];

/** Every change of status that there is; a trigger of the database refuses all others as well. */
const transitions: Record<BarStatus, readonly BarStatus[]> = {
  in_stock: ['reserved', 'withdrawn'],
  reserved: ['in_stock', 'handed_over'],
  handed_over: [],
  withdrawn: [],
};

/** Returns whether a bar may go from one status to the other. */
export function isBarMove(from: BarStatus, to: BarStatus): boolean {
  return transitions[from]?.includes(to) ?? false;
}

/** Throws `transition_not_allowed` unless a bar may go from one status to the other. */
export function requireBarTransition(from: BarStatus, to: BarStatus): void {
  if (!isBarMove(from, to)) throw notAllowed(`A bar that is ${from} cannot become ${to}.`);
}

/**
 * Returns a serial or the name of a refiner as bars have it, however it was typed: with plain letters and digits instead of
 * their variants, `-` for all dashes, and one space between words. Names that look the same after this are the same.
 */
export function barName(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Characters that a name must not contain: control characters and invisible ones. */
const unreadable = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** Returns the name of a bar to store. Throws `invalid_request`, naming `field`. */
export function readBarName(field: 'serial' | 'refiner', text: string, maxLength: number): string {
  const name = barName(text);
  if (name === '') throw invalidField(field, `${field} must not be empty.`);
  if ([...name].length > maxLength) {
    throw invalidField(field, `${field} must have at most ${maxLength} characters.`);
  }
  if (unreadable.test(text.trim())) {
    throw invalidField(field, `${field} contains characters that are not allowed.`);
  }
  return name;
}

/** Returns fineness as decimal text. Throws `invalid_request` naming `field`. */
export function readFineness(value: number): string {
  const fineness = parseNumber(value, finenessDecimals);
  if (fineness !== undefined && fineness >= minFineness && fineness < pureFineness) {
    return finenessText(fineness);
  }
  throw invalidField(
    'fineness',
    `fineness is in parts per thousand, such as 999.9: at least ${finenessText(minFineness)}, below ${finenessText(pureFineness)}, with at most ${finenessDecimals} decimals.`,
  );
}

/** Returns a weight in 10^-7 g. Throws `invalid_request`, field `weight_g`, for what is no weight. */
export function readWeight(grams: number): bigint {
  const weight = parseNumber(grams, weightDecimals);
  if (weight !== undefined && weight > 0n && weight <= maxWeight) return weight;
  throw invalidField(
    'weight_g',
    `weight_g must be positive and at most ${gramsText(maxWeight)}, with at most ${weightDecimals} decimals.`,
  );
}

/**
 * Returns a weight in grams as decimal text. Throws `invalid_request`, field `weight_g`, for one that is not that of the
 * denomination to within `tolerance`.
 */
export function readBarWeight(grams: number, denominationWeightG: string): string {
  const weight = readWeight(grams);
  const wanted = parseDecimal(denominationWeightG, weightDecimals) ?? 0n;
  if (isCloseTo(weight, wanted)) return gramsText(weight);
  throw invalidField(
    'weight_g',
    `weight_g must be that of the denomination, ${gramsText(wanted)} g, to within ${tolerance}.`,
  );
}

/** Returns how many bars are missing for the redemptions that wait for one. */
export function shortBy({ inStock, waiting }: { inStock: number; waiting: number }): number {
  return Math.max(0, waiting - inStock);
}
