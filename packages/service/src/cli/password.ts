import { CommandError, type Terminal, UsageError } from './command.js';
import { passwordVariable } from './parse.js';

/** More than any password may have. */
const maxBytes = 16_384;

/**
 * Reads a new password: typed twice without an echo where a person sits, else the one line of standard input, or the
 * environment's. Never an argument, which every user of the machine could read. Throws a `UsageError` for input that
 * is no line, a `CommandError` for two that differ.
 */
export async function readNewPassword(terminal: Terminal): Promise<string> {
  const [first, second] = await read(terminal, ['Password: ', 'Once more: ']);
  if (first === second) return first;
  throw new CommandError('The two passwords differ. Nothing was done.');
}

/** Reads the password of an account in the same way, but typed once. Throws a `UsageError` for input that is no line. */
export async function readPassword(terminal: Terminal): Promise<string> {
  const [password] = await read(terminal, ['Password: ']);
  return password;
}

/** Returns what was typed for each question; from the environment or standard input, the same text for each. */
async function read(terminal: Terminal, questions: string[]): Promise<[string, string]> {
  const { stdin, env } = terminal;
  const given = env[passwordVariable] || (stdin.isTTY ? undefined : await readLine(stdin));
  if (given !== undefined) return [given, given];
  const [first = '', second = ''] = await ask(terminal, questions);
  return [first, second];
}

async function readLine(stdin: Terminal['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > maxBytes) throw new UsageError('Standard input is too long for a password');
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '') {
    throw new UsageError(`The password is missing: standard input is empty (or set ${passwordVariable})`);
  }
  if (/[\r\n]/.test(text))
    throw new UsageError('Standard input has several lines, but a password is one line');
  return text;
}

const enter = /[\r\n]/;
const backspace = '\u007f';
const interrupt = '\u0003';
const endOfInput = '\u0004';

/** Prompts a person. What is typed is not shown, from before the first prompt until after the last input. */
function ask({ stdin, stderr }: Terminal, questions: string[]): Promise<string[]> {
  stdin.setRawMode?.(true);
  stderr.write(questions[0] ?? '');
  stdin.resume();
  return new Promise((resolve, reject) => {
    const responses: string[] = [];
    let typed = '';
    const end = (settle: () => void) => {
      stdin.off('data', hear);
      stdin.setRawMode?.(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const take = () => {
      responses.push(typed);
      typed = '';
      if (responses.length === questions.length) return end(() => resolve(responses));
      stderr.write(`\n${questions[responses.length]}`);
    };
    const hear = (chunk: Buffer | string) => {
      for (const key of chunk.toString('utf8')) {
        if (responses.length === questions.length) return;
        if (key === interrupt || key === endOfInput) {
          return end(() => reject(new CommandError('Cancelled. Nothing was done.')));
        }
        if (enter.test(key)) take();
        else typed = key === backspace ? [...typed].slice(0, -1).join('') : typed + key;
        if (typed.length > maxBytes) return end(() => reject(new CommandError('This is not a password.')));
      }
    };
    stdin.on('data', hear);
  });
}
