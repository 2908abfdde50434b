import { isStorable } from '../domain/encoding.js';
import { parseDecimal } from '../domain/money.js';
import { type Call, UsageError } from './command.js';
import { quoted } from './parse.js';

const maxReasonLength = 1_000;

/** Returns the mistake of an option that is not what it has to be. */
export function mustBe(call: Call, name: string, what: string): UsageError {
  return new UsageError(`${call.sourceOf(name)} must be ${what}, not ${quoted(call.get(name))}`);
}

/** Reads a text that the database can keep: PostgreSQL knows no NUL. */
export function readText(call: Call, name: string): string {
  const text = call.get(name);
  if (isStorable(text)) return text;
  throw new UsageError(`${call.sourceOf(name)} contains characters that are not allowed`);
}

/**
 * Reads an amount in its smallest unit: positive, unless `orNothing`, and less than the database keeps at most. `or` names
 * what else could be given, for the message.
 */
export function readAmount(
  call: Call,
  name: string,
  decimals: number,
  { orNothing = false, or = '' } = {},
): bigint {
  const text = call.get(name);
  const amount = text.length > 30 ? undefined : parseDecimal(text, decimals);
  if (amount !== undefined && amount >= (orNothing ? 0n : 1n) && amount < 2n ** 63n) return amount;
  const what = orNothing ? 'an amount, 0 or more,' : 'a positive amount';
  throw mustBe(call, name, `${what} with at most ${decimals} decimals${or}`);
}

/** Reads why somebody does something, for the audit log. */
export function readReason(call: Call): string | undefined {
  if (call.find('reason') === undefined) return undefined;
  const text = readText(call, 'reason');
  if ([...text].length <= maxReasonLength) return text;
  throw new UsageError(`${call.sourceOf('reason')} takes at most ${maxReasonLength} characters`);
}
