import { resolve } from 'node:path';
import { addressToBytes } from './address-bytes.js';

/** A mistake of the caller, reported in one line without a stack trace. */
export class UsageError extends Error {}

export interface CliOptions {
  host: string;
  rpcPort: number;
  /** Absolute path; undefined: nothing is written. */
  ledger: string | undefined;
  reset: boolean;
  /** Files in the form of `solana account --output json`. */
  cloneAccounts: string[];
  programs: { address: string; file: string }[];
  slotMs: number;
  cheats: boolean;
}

const HELP: readonly (readonly [string, string])[] = [
  ['--rpc-port N', 'JSON-RPC over HTTP and WebSocket, WebSocket also on N+1; default 8899, 0: any free port'],
  ['--host H', 'address to listen on, default 127.0.0.1'],
  ['--ledger DIR', 'keep the chain in this folder; without it nothing is written'],
  ['--reset', 'start over: remove the chain in the folder first'],
  ['--clone-account FILE', 'an account as `solana account ADDR --output json` writes it; may be repeated'],
  ['--program ADDR FILE.so', 'a program at an address, which cannot be upgraded; may be repeated'],
  ['--slot-ms N', 'length of a slot in milliseconds, default 400'],
  ['--no-cheats', 'turn off the karat_… methods, which real nodes do not have'],
  ['--help', 'this text'],
];

export function helpText(): string {
  const lines = HELP.map(([option, meaning]) => `  ${option.padEnd(24)}${meaning}`);
  return ['A Solana node for one machine.', '', 'karat-localnet [options]', '', ...lines].join('\n');
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new UsageError(`${option} takes a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
  return value;
}

/** What each option does with its values; `take` gives the next one. */
const OPTIONS: Readonly<Record<string, (options: CliOptions, take: (what: string) => string) => void>> = {
  '--rpc-port': (options, take) => {
    options.rpcPort = wholeNumber('--rpc-port', take('a port'), 0, 65_535);
  },
  '--host': (options, take) => {
    options.host = take('an address to listen on');
  },
  '--ledger': (options, take) => {
    options.ledger = resolve(take('a folder'));
  },
  '--reset': (options) => {
    options.reset = true;
  },
  '--clone-account': (options, take) => {
    options.cloneAccounts.push(resolve(take('a file')));
  },
  '--program': (options, take) => {
    const address = take('an address and a file');
    if (!addressToBytes(address))
      throw new UsageError(
        `--program takes an address and a file; ${JSON.stringify(address)} is not an address`,
      );
    options.programs.push({ address, file: resolve(take('an address and a file')) });
  },
  '--slot-ms': (options, take) => {
    options.slotMs = wholeNumber('--slot-ms', take('milliseconds'), 1, 3_600_000);
  },
  '--no-cheats': (options) => {
    options.cheats = false;
  },
};

/** Reads the command line. Throws a UsageError that names what is wrong. */
export function readCliOptions(args: readonly string[]): CliOptions | 'help' {
  const options: CliOptions = {
    host: '127.0.0.1',
    rpcPort: 8899,
    ledger: undefined,
    reset: false,
    cloneAccounts: [],
    programs: [],
    slotMs: 400,
    cheats: true,
  };
  // `--option=value` is the same as `--option value`.
  const left = args.flatMap((arg) => {
    const split = /^(--[a-z-]+)=(.*)$/s.exec(arg);
    return split ? [split[1] ?? '', split[2] ?? ''] : [arg];
  });
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '--help' || name === '-h') return 'help';
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (!option) throw new UsageError(`${name} is not an option; --help lists the options`);
    const current = name;
    option(options, (what) => {
      const value = left.shift();
      if (value === undefined || value.startsWith('--')) throw new UsageError(`${current} takes ${what}`);
      return value;
    });
  }
  if (options.reset && options.ledger === undefined)
    throw new UsageError('--reset needs --ledger: without one there is nothing to remove');
  return options;
}
