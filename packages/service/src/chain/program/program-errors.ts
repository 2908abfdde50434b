import { karatErrors } from '@karat/program-client';
import { toInteger } from '../../domain/integer.js';

/**
 * Name and meaning of an error code of the program: `OracleStale: The price is too old.`
 * Undefined for a code that is none of its own, such as one of the token program.
 */
export function describeProgramError(code: number): string | undefined {
  const known = karatErrors[code];
  return known && `${known[0]}: ${known[1]}`;
}

/** Reads a transaction's error as nodes report it; undefined for one that is of no instruction. `code` is that of a program's own error. */
export function instructionFailureOf(error: unknown) {
  const failure = memberOf(error, 'InstructionError');
  if (!Array.isArray(failure)) return undefined;
  const [index, cause] = failure;
  const code = memberOf(cause, 'Custom');
  return { index: toInteger(index), cause, code: code === undefined ? undefined : toInteger(code) };
}

/** Returns the chain's own words of an error. */
export function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error;
  return (
    JSON.stringify(error, (_, value) => (typeof value === 'bigint' ? toInteger(value) : value)) ?? 'unknown'
  );
}

/** Returns what a value from outside holds under a name; undefined for everything that holds nothing. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/**
 * Returns why a transaction failed: `Paused: Instructions of this kind are paused.`, or the chain's own words as JSON.
 */
export function describeFailure(error: unknown): string {
  const code = instructionFailureOf(error)?.code;
  const meaning = code === undefined ? undefined : describeProgramError(code);
  return meaning ?? wordsOf(error);
}
