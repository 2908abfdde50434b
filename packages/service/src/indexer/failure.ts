import type { Address, TransactionError } from '@solana/kit';
import { describeProgramError } from '../chain/program-errors.js';
import type { ChainTransaction } from './transaction.js';

const maxLength = 200;

/**
 * Why a transaction failed, for people: `SlippageExceeded` for an error of the program, else the chain's own words with
 * the place, such as `instruction 2: Custom 1`; with `text` also what such an error means. At most 200 characters.
 */
export function failureReason(
  error: TransactionError,
  instructions: ChainTransaction['instructions'],
  programAddress: Address,
  words: 'name' | 'text' = 'name',
): string {
  if (typeof error !== 'object' || !('InstructionError' in error)) return wordsOf(error).slice(0, maxLength);
  const [index, cause] = error.InstructionError as unknown as [number | bigint, unknown];
  const custom =
    typeof cause === 'object' && cause !== null && 'Custom' in cause ? Number(cause.Custom) : undefined;
  if (custom === undefined) return `instruction ${index}: ${wordsOf(cause)}`.slice(0, maxLength);
  const program = instructions.filter(({ depth }) => depth === 1)[Number(index)]?.program;
  const described = program === programAddress ? describeProgramError(custom) : undefined;
  const chosen = words === 'text' ? described : described?.split(':')[0];
  return chosen?.slice(0, maxLength) ?? `instruction ${index}: Custom ${custom}`;
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return (
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? Number(inner) : inner)) ?? 'unknown'
  );
}
