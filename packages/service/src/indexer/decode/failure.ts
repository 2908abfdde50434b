import type { Address, TransactionError } from '@solana/kit';
import { causeOf } from '../../chain/failure/cause.js';
import { describeProgramError, instructionFailureOf, wordsOf } from '../../chain/program/program-errors.js';
import { type Failure, failureOf } from '../../db/failure.js';
import type { Cause } from '../../reasons.js';
import type { ChainTransaction } from './transaction.js';

const maxLength = 200;

/** Returns why a transaction of a record failed, in the words of its API. */
export function recordedFailure(
  { signers, instructions, logs, balancesBefore: balances }: ChainTransaction,
  error: TransactionError,
  programAddress: Address,
  inWords = (cause: Cause): Cause => cause,
): Failure {
  const [feePayer] = signers;
  const cause = causeOf({ error, feePayer, instructions, logs, balances }, programAddress);
  return failureOf(inWords(cause));
}

/**
 * Returns why a transaction failed, for operators: `Paused: Instructions of this kind are paused.` for an error of the
 * program, else the chain's own words with the place, such as `instruction 2: Custom 1`. At most 200 characters.
 */
export function failureText(
  error: TransactionError,
  instructions: ChainTransaction['instructions'],
  programAddress: Address,
): string {
  const failure = instructionFailureOf(error);
  if (!failure) return wordsOf(error).slice(0, maxLength);
  const { index, cause, code } = failure;
  if (code === undefined) return `instruction ${index}: ${wordsOf(cause)}`.slice(0, maxLength);
  const program = instructions.filter(({ depth }) => depth === 1)[index]?.program;
  const described = program === programAddress ? describeProgramError(code) : undefined;
  return described?.slice(0, maxLength) ?? `instruction ${index}: Custom ${code}`;
}
