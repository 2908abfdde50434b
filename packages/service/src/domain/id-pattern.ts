import { RE2JS, RE2JSException } from 're2js';
import { invalidField } from '../errors.js';

export const maxIdPatternLength = 500;
export const maxIdExampleLength = 100;
/** Matching takes the text's length times this at the most: a fifth of a second for the longest number that a body holds. */
const maxProgramSize = 1_000;

/**
 * Checks that a text is a pattern of RE2, which needs linear time and so cannot hang the service. Throws `invalid_request`,
 * field `pattern`, with what is wrong with it.
 */
export function checkIdPattern(pattern: string): void {
  if (compile(pattern).programSize() <= maxProgramSize) return;
  throw invalidField('pattern', 'pattern is too large when its repetitions are written out.');
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause;
    throw invalidField('pattern', `pattern is not an RE2 expression: ${cause.message}.`);
  }
}

/** Returns whether the whole of a text matches a pattern. Throws for a pattern that does not compile. */
export function matchesIdPattern(pattern: string, text: string): boolean {
  return RE2JS.compile(pattern).matches(text);
}
