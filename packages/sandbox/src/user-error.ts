import { didYouMean } from '@karat/service/domain';

/** Something that the person at the keyboard can put right: shown as one line, without a stack. */
export class UserError extends Error {
  override name = 'UserError';
}

/** Returns the mistake of a command line that `parseArgs` does not take, with the option that may have been meant. */
export function wrongArguments(error: unknown, options: string[]): UserError {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split(/[\n.]/);
  const [, name] = /^Unknown option '--(.+)'$/.exec(first) ?? [];
  const question = name === undefined ? '' : didYouMean(name, options, (meant) => `--${meant}`);
  return new UserError(`${first}${question === '' ? '.' : `: ${question.trimEnd()}`} See --help`);
}
