import { Type } from '@fastify/type-provider-typebox';
import type { Failure } from '../db/failure.js';
import { reasonNames } from '../reasons.js';
import { about } from './fields.js';
import { choice } from './schemas.js';

const Reason = choice(
  reasonNames,
  about('Why it failed, for programs to act on; of a failed one only.', 'slippage_exceeded'),
);
const ProgramErrorName = Type.String(
  about('Name of the error of the program on chain that refused it.', 'SlippageExceeded'),
);
const Message = Type.String(
  about(
    'What happened and what to do next, for people; of a failed one only.',
    'SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum. The price is beyond what the quote accepts: request a new quote.',
  ),
);

/** What a partner's record of a failed transaction has in addition. */
export const failureShape = {
  reason: Type.Optional(Reason),
  program_error_name: Type.Optional(ProgramErrorName),
  message: Type.Optional(Message),
};

/** The names alone, of records that have the text in a field of its own. */
export const failureNames = {
  reason: Type.Optional(Reason),
  programErrorName: Type.Optional(ProgramErrorName),
};

export function failureNamesOf({ reason, programErrorName }: Failure) {
  return { reason: reason ?? undefined, programErrorName: programErrorName ?? undefined };
}

export function failureParts(failure: Failure) {
  return { ...failureNamesOf(failure), message: failure.failureReason ?? undefined };
}
