import { findCountry } from '../../db/catalogue/countries.js';
import { type Denomination, insertDenomination } from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import { isCountryCode } from '../../domain/kyc.js';
import { findContradictingMass } from '../../domain/label-mass.js';
import { parseDecimal, parseNumber } from '../../domain/money.js';
import { cityKey } from '../../domain/redemption.js';
import { gramsText, maxWeight, minDenominationWeight, weightDecimals } from '../../domain/weight.js';
import { AppError, invalidField } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';

export interface NewDenomination {
  /** Small letters, digits and underscores. */
  id: string;
  label: string;
  /** Grams, a number as it came. */
  weightG: number;
  /** In any case. */
  country: string;
  city: string;
  active: boolean;
}

/**
 * Offers a new piece of gold in a city. Throws `invalid_request` with the field for a weight that is out of range or
 * has more than `weightDecimals`, for a label that names another weight and for an unknown country, and `already_exists` for
 * an id that is taken.
 */
export async function createDenomination(
  { tx, by, at }: ChangeTx,
  input: NewDenomination,
): Promise<Denomination> {
  const { id } = input;
  const row = await readDenomination(tx, input);
  if (!(await insertDenomination(tx, row, at))) throw denominationExists(id);
  const denomination = { ...row, cityKey: cityKey(row.city), createdAt: at, updatedAt: at };
  const change = { action: 'denomination.create' as const, objectId: id };
  await recordChange(tx, by, { ...change, after: toAudited(denomination) }, at);
  return denomination;
}

/** Returns a denomination as it is stored. Throws `invalid_request` with the field. */
export async function readDenomination(tx: Tx, input: NewDenomination) {
  const weightG = readWeight(input.weightG);
  requireMatchingLabel(input.label, weightG);
  return { ...input, weightG, country: await readCountry(tx, input.country) };
}

export function denominationExists(id: string): AppError {
  return new AppError('already_exists', `The denomination ${id} already exists.`, { field: 'id' });
}

function readWeight(grams: number): string {
  const weight = parseNumber(grams, weightDecimals);
  if (weight !== undefined && weight >= minDenominationWeight && weight <= maxWeight) {
    return gramsText(weight);
  }
  const range = `from ${gramsText(minDenominationWeight)} to ${gramsText(maxWeight)}`;
  throw invalidField('weight_g', `weight_g must be ${range}, with at most ${weightDecimals} decimals.`);
}

/** Unicode's format characters, which may hide or reorder text, but for the two that join the letters of some scripts. */
const hiddenCharacter = /(?![\u200c\u200d])\p{Cf}/u;

/**
 * Throws `invalid_request`, field `label`, when a label names a mass that is not the weight of the piece, or has
 * characters that are not shown.
 */
export function requireMatchingLabel(label: string, weightG: string): void {
  const [hidden] = hiddenCharacter.exec(label) ?? [];
  if (hidden !== undefined) {
    const code = hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    throw invalidField('label', `label contains invisible characters, such as U+${code}.`);
  }
  const mass = findContradictingMass(label, weightG);
  if (mass === undefined) return;
  const weight = gramsText(parseDecimal(weightG, weightDecimals) ?? 0n);
  throw invalidField('label', `label says "${mass}", but the piece weighs ${weight} g.`);
}

/** Reads the code of a country of the service, active or not. Throws `invalid_request`, field `country`. */
export async function readCountry(tx: Tx, text: string): Promise<string> {
  const code = text.toUpperCase();
  if (isCountryCode(code) && (await findCountry(tx, code))) return code;
  throw invalidField('country', 'country is not a country of the service.');
}

export function toAudited({ id, label, weightG, country, city, active }: Omit<Denomination, 'cityKey'>) {
  const weight = parseDecimal(weightG, weightDecimals) ?? 0n;
  return { id, label, weight_g: gramsText(weight), country, city, active };
}
