import type { styleText } from 'node:util';
import type { Progress } from './progress.js';

/** One value that a command takes: on the command line or, when it is not there, from the environment. */
export interface Option {
  /** Without the dashes. */
  name: string;
  variable: string;
  placeholder: string;
  help: string;
  /** The default, shown in the help. Neither this nor `optional`: the value has to be given. */
  default?: string;
  optional?: true;
}

/** Commands that belong together in the help. */
export interface CommandGroup {
  title: string;
  commands: Command[];
}

export interface Command {
  /** The words that call it, such as `operator create`. */
  name: string;
  summary: string;
  /** Further lines of its help. */
  details?: string[];
  options: Option[];
  /** Takes further words, and several commands joined by commas: `serve,index`. */
  takesWords?: true;
  /** Runs until it is stopped, and prints by itself what it does. */
  isEndless?: true;
  /** Loads what it needs only now, so that `--help` and mistakes get an immediate response. */
  run(call: Call): Promise<Outcome>;
}

/** Lines to print and the exit code; `running` for a process that goes on until it is stopped. */
export type Outcome = { exitCode: number; lines: string[] } | 'running';

/** Colours and weights, by their names in `styleText` of node:util. */
export type Style = Parameters<typeof styleText>[0];

/** What the process has of the world outside. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  /** Prompts, and what is being done; never a result. */
  stderr: Pick<Progress, 'write'>;
  /** Runs a command while the terminal shows which. */
  during: Progress['during'];
  /** Colours a part of a result, where it is shown in colours. */
  paint(style: Style, text: string): string;
}

/** A call of a command with its values, checked for being there. */
export interface Call {
  terminal: Terminal;
  /** The environment of the service: without the variables that only commands read. */
  env: Record<string, string | undefined>;
  /** The words of the command line, the command's own among them. */
  words: string[];
  /** Returns the value of an option. Throws a `UsageError` when there is none. */
  get(name: string): string;
  find(name: string): string | undefined;
  /** Returns how the value was given: `--email` or `KARAT_OPERATOR_EMAIL`. */
  sourceOf(name: string): string;
}

/** The command line is wrong: reported in one line that names the option, exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Something failed that a person can put right: reported in one line, exit code 1. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Returns a result for people and programs: one line of JSON. */
export function done(result: Record<string, unknown>): Outcome {
  return { exitCode: 0, lines: [JSON.stringify(result)] };
}
