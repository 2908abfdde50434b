import { decodeLongBase58 } from '@karat/wire';
import { addressToBytes } from '../address-bytes.js';
import type { Commitment } from '../commitment.js';
import { invalidParams } from '../errors.js';

/** Reading JSON-RPC parameters. Every function throws -32602 with the text a node gives. */

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (typeof value === 'number')
    return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``;
  return typeof value === 'boolean' ? `boolean \`${value}\`` : 'map';
}

function wrongType(value: unknown, expected: string): Error {
  // A negative number is a whole one all the same: serde calls its value wrong, not its type.
  if (expected === 'u64' && Number.isInteger(value))
    return invalidParams(`Invalid params: invalid value: integer \`${value}\`, expected u64.`);
  return invalidParams(`Invalid params: invalid type: ${kindOf(value)}, expected ${expected}.`);
}

function required(params: readonly unknown[], index: number): unknown {
  if (params[index] === undefined) {
    throw invalidParams(`\`params\` should have at least ${index + 1} argument(s)`);
  }
  return params[index];
}

export function stringParam(params: readonly unknown[], index: number): string {
  const value = required(params, index);
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  return value;
}

/** Returns a whole number from 0 to 2^53 - 1. */
export function unsignedParam(params: readonly unknown[], index: number): number {
  return unsignedOf(required(params, index));
}

/** Checks that a value is a whole number from 0 to 2^53 - 1; gives it back. */
export function unsignedOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrongType(value, 'u64');
  return value;
}

/** As `unsignedParam`, but the parameter may be left out or null. */
export function optionalUnsignedParam(params: readonly unknown[], index: number): number | undefined {
  const value = params[index];
  return value === undefined || value === null ? undefined : unsignedOf(value);
}

/** Checks that a text is an address; gives it back. */
export function addressOf(text: unknown): string {
  if (typeof text !== 'string') throw wrongType(text, 'a string');
  if (addressToBytes(text)) return text;
  throw invalidParams(`Invalid param: ${base58Fault(text, ADDRESS_TEXT_MAX)}`);
}

/** Lengths of 32 and 64 bytes in base58, at most. */
const ADDRESS_TEXT_MAX = 44;
const SIGNATURE_TEXT_MAX = 88;

/**
 * Returns what is wrong with base58 of some bytes: the length of the text is looked at first (`FromStr` of the SDK's
 * types).
 */
export function base58Fault(text: string, textMax = ADDRESS_TEXT_MAX): 'WrongSize' | 'Invalid' {
  return text.length > textMax || decodeLongBase58(text) ? 'WrongSize' : 'Invalid';
}

export function addressParam(params: readonly unknown[], index: number): string {
  return addressOf(required(params, index));
}

/** Checks that a text is a signature, 64 bytes in base58; gives it back. */
export function signatureOf(text: unknown): string {
  if (typeof text !== 'string') throw wrongType(text, 'a string');
  if (text.length <= SIGNATURE_TEXT_MAX && decodeLongBase58(text)?.length === 64) return text;
  throw invalidParams(`Invalid param: ${base58Fault(text, SIGNATURE_TEXT_MAX)}`);
}

export function arrayParam(params: readonly unknown[], index: number): readonly unknown[] {
  const value = required(params, index);
  if (!Array.isArray(value)) throw wrongType(value, 'a sequence');
  return value;
}

/** Returns the configuration object at `index`; empty when it was left out or null. */
export function configParam(params: readonly unknown[], index: number): Record<string, unknown> {
  const value = params[index];
  if (value === undefined || value === null) return {};
  return objectOf(value);
}

export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(value, 'a map');
  return value as Record<string, unknown>;
}

export function numberIn(config: Record<string, unknown>, key: string): number | undefined {
  const value = config[key];
  return value === undefined || value === null ? undefined : unsignedOf(value);
}

export function booleanIn(config: Record<string, unknown>, key: string): boolean {
  const value = config[key];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrongType(value, 'a boolean');
  return value;
}

/** Reads a field that must be one of some words; undefined if it is missing. */
export function choiceIn<T extends string>(
  config: Record<string, unknown>,
  key: string,
  choices: readonly T[],
): T | undefined {
  const value = config[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(value, 'a string');
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw unknownVariant(value, choices);
}

/** Returns the text of serde for a word that is none of those it knows. */
export function unknownVariant(value: string, choices: readonly string[]): Error {
  const known = choices.map((choice) => `\`${choice}\``);
  const expected = known.length === 2 ? known.join(' or ') : `one of ${known.join(', ')}`;
  return invalidParams(`Invalid params: unknown variant \`${value}\`, expected ${expected}.`);
}

/** Reads a parameter that comes in two shapes: serde only reports that it fits neither. */
export function eitherShape<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw invalidParams(`Invalid params: data did not match any variant of untagged enum ${name}.`);
  }
}

const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

export function commitmentIn(config: Record<string, unknown>): Commitment | undefined {
  return choiceIn(config, 'commitment', COMMITMENTS);
}

/** For history: `processed` is refused, `finalized` is the default. */
export function historyCommitmentIn(config: Record<string, unknown>): Commitment {
  const commitment = commitmentIn(config) ?? 'finalized';
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}
