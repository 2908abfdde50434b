import { formatDecimal } from './money.js';

/** What is fixed of masses of gold: how exactly they are kept, and what they may be. Weights are integers in 10^-7 g. */

/** Grams are kept with so many decimals, so that a tola is exact. */
export const weightDecimals = 7;
export const milligram = 10_000n;
export const tonne = 10_000_000_000_000n;
/** 31.1034768 g exactly: 480 grains of 64.79891 mg. */
export const troyOunce = 311_034_768n;

/** The least that a denomination may weigh: it has 32 base units of GOLD, so that nothing ever rounds to none. */
export const minDenominationWeight = milligram;
/** The most that a bar or a denomination may weigh. */
export const maxWeight = tonne;

/** Returns a weight as decimal text of grams. */
export function gramsText(weight: bigint): string {
  return formatDecimal(weight, weightDecimals);
}

/** A mass may differ from the weight that it names by one part in this many: it was rounded when it was written down. */
const toleranceParts = 200n;
/** The same in words. */
export const tolerance = 'half a percent';

/** Returns whether a mass is that of the weight to within `tolerance`. Both may be multiplied by the same number. */
export function isCloseTo(mass: bigint, weight: bigint): boolean {
  const difference = mass > weight ? mass - weight : weight - mass;
  return difference * toleranceParts <= weight;
}

/** Fineness is kept in parts per thousand with so many decimals, such as 999.9. */
export const finenessDecimals = 3;
/** The least fineness of a bar, in 10^-3 parts per thousand. */
export const minFineness = 500_000n;
/** Fineness is below this: no gold is pure. */
export const pureFineness = 1_000_000n;

/** Returns a fineness as decimal text of parts per thousand. */
export function finenessText(fineness: bigint): string {
  return formatDecimal(fineness, finenessDecimals);
}
