import type { Address, TransactionError } from '@solana/kit';
import { describeProgramError, instructionFailureOf, wordsOf } from '../../chain/program/program-errors.js';
import type { ChainTransaction } from './transaction.js';

const maxLength = 200;

/**
 * Returns why a transaction failed, for people: `SlippageExceeded` for an error of the program, else the chain's own
 * words with the place, such as `instruction 2: Custom 1`; with `text` also what such an error means. At most 200
 * characters.
 */
export function failureReason(
  error: TransactionError,
  instructions: ChainTransaction['instructions'],
  programAddress: Address,
  words: 'name' | 'text' = 'name',
): string {
  const failure = instructionFailureOf(error);
  if (!failure) return wordsOf(error).slice(0, maxLength);
  const { index, cause, code } = failure;
  if (code === undefined) return `instruction ${index}: ${wordsOf(cause)}`.slice(0, maxLength);
  const program = instructions.filter(({ depth }) => depth === 1)[index]?.program;
  const described = program === programAddress ? describeProgramError(code) : undefined;
  const chosen = words === 'text' ? described : described?.split(':')[0];
  return chosen?.slice(0, maxLength) ?? `instruction ${index}: Custom ${code}`;
}
