import { text } from 'drizzle-orm/pg-core';
import type { Cause, Reason } from '../reasons.js';

/** Columns of a record whose transaction may fail on chain; all null unless it did. */
export const failure = () => ({
  /** What happened and what to do next, for people. */
  failureReason: text('failure_reason'),
  /** Why, for programs. */
  reason: text().$type<Reason>(),
  /** Name of the error of a program on chain. */
  programErrorName: text('program_error_name'),
});

/** Why the transaction of a record failed. */
export interface Failure {
  failureReason: string | null;
  reason: Reason | null;
  programErrorName: string | null;
}

export const noFailure: Failure = { failureReason: null, reason: null, programErrorName: null };

export function failureOf({ message, reason, programErrorName }: Cause): Failure {
  return { failureReason: message, reason, programErrorName };
}
