import { parseArgs } from 'node:util';
import { ownerUrlVariable } from '../config.js';
import { didYouMean } from '../domain/nearest.js';
import { type Call, type Command, type Option, type Terminal, UsageError } from './command.js';

/** The request that the command line makes. */
export type Request =
  | { kind: 'help'; about: string }
  | { kind: 'version' }
  | { kind: 'run'; command: Command; call: Call };

/**
 * Reads a command line. Throws a `UsageError` for a command or an option that is not known, is given twice or without
 * its value, and for words that no command takes.
 */
export function readRequest(args: string[], terminal: Terminal, commands: Command[]): Request {
  const words = leadingWords(args);
  const command = commands.find((each) => isCalled(each, words));
  if (!command) return readBare(args, words, commands);
  const given = readOptions(args, command);
  if (given.help) return { kind: 'help', about: command.name };
  const extra = given.words[command.name.split(' ').length];
  if (extra !== undefined && !command.takesWords) {
    throw new UsageError(`karat ${command.name} does not take ${quoted(extra)}: --help shows its options`);
  }
  return { kind: 'run', command, call: toCall(command, given, terminal, commands) };
}

/** Returns what comes before the first option. */
function leadingWords(args: string[]): string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  return end < 0 ? args : args.slice(0, end);
}

function isCalled({ name, takesWords }: Command, words: string[]): boolean {
  if (takesWords) return words[0]?.split(',')[0] === name;
  return name.split(' ').every((part, index) => words[index] === part);
}

/** Reads a command line that calls no command: for help, or a mistake. */
function readBare(args: string[], words: string[], commands: Command[]): Request {
  const [first, second] = args;
  if (first === '--version' && second === undefined) return { kind: 'version' };
  const [group] = words;
  const isGroup = commands.some(({ name }) => name.startsWith(`${group} `));
  if (first === '--help' || first === '-h') return { kind: 'help', about: '' };
  if (first === 'help') {
    const about = words.slice(1).join(' ');
    const isKnown = namesOf(commands).some((name) => `${name} `.startsWith(`${about} `));
    if (about === '' || isKnown) return { kind: 'help', about };
    return readBare(args.slice(1), words.slice(1), commands);
  }
  if (isGroup && (second === '--help' || second === '-h')) return { kind: 'help', about: group ?? '' };
  const known = commands.filter(({ name }) => isGroup && name.startsWith(`${group} `));
  if (known.length > 0) {
    const names = known.map(({ name }) => name.split(' ')[1]).join(', ');
    const question = second === undefined ? '' : didYouMean(`${group} ${second}`, namesOf(known), ofKarat);
    throw new UsageError(`karat ${group} takes one of: ${names}${question && `; ${question.trimEnd()}`}`);
  }
  if (first === undefined) throw new UsageError('karat takes a command: karat --help lists them');
  throw new UsageError(
    `karat has no command ${quoted(first)}: ${questionAbout(words, commands)}karat --help lists them`,
  );
}

const namesOf = (commands: Command[]) => commands.map(({ name }) => name);
const ofKarat = (name: string) => `karat ${name}`;

/** Returns the question which command was meant: one that is spelt almost so, or one of those that end with the word. */
function questionAbout(words: string[], commands: Command[]): string {
  const names = namesOf(commands);
  const [first = ''] = words;
  const groups = names.flatMap((name) => name.split(' ').slice(0, -1));
  const question =
    didYouMean(words.slice(0, 2).join(' '), names, ofKarat) ||
    didYouMean(first, [...names, ...groups], ofKarat);
  if (question !== '') return question;
  const ending = names.filter((name) => name.endsWith(` ${first}`));
  return ending.length === 0 ? '' : `did you mean ${ending.map(ofKarat).join(' or ')}? `;
}

interface Given {
  values: Map<string, string>;
  words: string[];
  help: boolean;
}

function readOptions(args: string[], command: Command): Given {
  const options = Object.fromEntries(command.options.map(({ name }) => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({
    args,
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given: Given = { values: new Map(), words: [], help: false };
  for (const token of tokens) {
    if (token.kind === 'positional') given.words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, value, inlineValue } = token;
    if (name === 'help') {
      given.help = true;
      continue;
    }
    const option = command.options.find((each) => each.name === name);
    if (!option) {
      const known = command.options.map((each) => each.name);
      const question = didYouMean(name, known, (meant) => `--${meant}`);
      throw new UsageError(
        `karat ${command.name} has no option ${quoted(token.rawName)}: ${question}--help lists those that it has`,
      );
    }
    if (value === undefined || (inlineValue === false && /^--[a-z]/.test(value))) {
      throw new UsageError(`--${name} takes a value: --${name} ${option.placeholder}`);
    }
    if (given.values.has(name)) throw new UsageError(`--${name} is given twice`);
    given.values.set(name, value);
  }
  return given;
}

function toCall(command: Command, { values, words }: Given, terminal: Terminal, commands: Command[]): Call {
  const optionOf = (name: string): Option => {
    const option = command.options.find((each) => each.name === name);
    if (!option) throw new Error(`karat ${command.name} has no option ${name}`);
    return option;
  };
  const fromEnv = ({ variable }: Option) => terminal.env[variable] || undefined;
  const find = (name: string) => {
    const option = optionOf(name);
    return values.get(name) ?? fromEnv(option) ?? option.default;
  };
  return {
    terminal,
    env: withoutVariablesOf(commands, terminal.env),
    words,
    find,
    get(name) {
      const value = find(name);
      if (value !== undefined) return value;
      const { variable, placeholder } = optionOf(name);
      throw new UsageError(`--${name} ${placeholder} is missing (or ${variable} in the environment)`);
    },
    sourceOf(name) {
      const option = optionOf(name);
      return !values.has(name) && fromEnv(option) ? option.variable : `--${name}`;
    },
  };
}

/** The password of `operator create`, for those who cannot type it. */
export const passwordVariable = 'KARAT_OPERATOR_PASSWORD';
/** The key of a partner and the secret of its webhooks, of `listen`: secrets are never arguments. */
export const apiKeyVariable = 'KARAT_API_KEY';
export const webhookSecretVariable = 'KARAT_WEBHOOK_SECRET';

/** Removes the variables of commands: the service refuses settings that it does not know. */
function withoutVariablesOf(commands: Command[], env: Terminal['env']): Terminal['env'] {
  const own = new Set(commands.flatMap(({ options }) => options.map(({ variable }) => variable)));
  const secrets = [passwordVariable, ownerUrlVariable, apiKeyVariable, webhookSecretVariable];
  for (const name of secrets) own.add(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.has(name)));
}

/** Returns what somebody typed, fit to be printed. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
