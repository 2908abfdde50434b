import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Screen } from './screen.js';
import { UserError, wrongArguments } from './user-error.js';

export interface SandboxOptions {
  /** Absolute path. */
  stateDir: string;
  reset: boolean;
  /** Follow the hours of the gold market; else by `KARAT_MARKET_HOURS`, `always` by default. */
  marketHours: boolean;
  host: string;
  /** Stands for this machine in the addresses that are printed and written; undefined: where it listens. */
  advertisedHost: string | undefined;
  /** Where webhooks may go besides the internet, over http too. */
  webhooks: 'local' | 'private';
  port: number;
  operatorPort: number;
  rpcPort: number;
  /** Undefined: 8070, or any if that is taken. */
  shopPort: number | undefined;
  /** Undefined: the embedded server. */
  databaseUrl: string | undefined;
  /** Undefined: the localnet of this process. */
  rpcUrl: string | undefined;
}

interface OptionSpec {
  name: string;
  variable: string;
  placeholder: string;
  default?: string;
  help: string;
}

/** Every option that has a value; each can also be given as an environment variable. The command line wins. */
const specs = [
  {
    name: 'state-dir',
    variable: 'KARAT_STATE_DIR',
    placeholder: 'DIR',
    default: '.karat',
    help: 'everything it keeps: database, chain, key files, sandbox.json',
  },
  {
    name: 'port',
    variable: 'KARAT_PORT',
    placeholder: 'N',
    default: '8080',
    help: 'partner API and tradebook API (0: any free port)',
  },
  {
    name: 'operator-port',
    variable: 'KARAT_OPERATOR_PORT',
    placeholder: 'N',
    default: '8090',
    help: 'operator API, this machine only (0: any free port)',
  },
  {
    name: 'rpc-port',
    variable: 'KARAT_RPC_PORT',
    placeholder: 'N',
    default: '8899',
    help: 'Solana JSON-RPC, HTTP and WebSocket; WebSocket also on N+1 (0: any)',
  },
  {
    name: 'shop-port',
    variable: 'KARAT_SHOP_PORT',
    placeholder: 'N',
    help: 'the shop (default: 8070, or any free port if that is taken)',
  },
  {
    name: 'host',
    variable: 'KARAT_HOST',
    placeholder: 'H',
    default: '127.0.0.1',
    help: 'address to listen on',
  },
  {
    name: 'advertised-host',
    variable: 'KARAT_ADVERTISED_HOST',
    placeholder: 'H',
    help: 'name of this machine in the addresses that it prints and in sandbox.json (default: --host)',
  },
  {
    name: 'webhooks',
    variable: 'KARAT_WEBHOOKS',
    placeholder: 'W',
    default: 'local',
    help: 'where webhooks may go besides the internet: local (this machine), private (private networks too)',
  },
  {
    name: 'database-url',
    variable: 'DATABASE_URL',
    placeholder: 'URL',
    help: 'a PostgreSQL server of your own instead of the embedded one',
  },
  {
    name: 'rpc-url',
    variable: 'KARAT_RPC_URL',
    placeholder: 'URL',
    help: 'a Solana node of your own, with program and accounts in place',
  },
] as const satisfies OptionSpec[];

type OptionName = (typeof specs)[number]['name'];

/** Environment variables that are options of the sandbox; other `KARAT_` names go to the service. */
export const optionVariables: readonly string[] = specs.map((spec) => spec.variable);

/**
 * Reads the command line and the environment. Returns `'help'` if help was requested. Throws a `UserError` for an
 * unknown option or a bad value, naming the option as it was given.
 */
export function readOptions(
  argv: string[],
  env: Record<string, string | undefined>,
): SandboxOptions | 'help' {
  const given = parse(argv);
  if (given.help === true) return 'help';
  const text = (name: OptionName): { value: string | undefined; source: string } => {
    const spec: OptionSpec | undefined = specs.find((each) => each.name === name);
    if (!spec) throw new Error(`no option ${name}`);
    const flag = given[name];
    if (typeof flag === 'string') return { value: flag, source: `--${name}` };
    const variable = env[spec.variable];
    if (variable !== undefined && variable !== '') return { value: variable, source: spec.variable };
    return { value: spec.default, source: `--${name}` };
  };
  const stateDir = text('state-dir');
  if (!stateDir.value) throw new UserError(`${stateDir.source} must name a folder`);
  const advertisedHost = text('advertised-host');
  return {
    stateDir: resolve(stateDir.value),
    reset: given.reset === true,
    marketHours: given['market-hours'] === true,
    host: readHost(text('host')),
    advertisedHost: advertisedHost.value === undefined ? undefined : readHost(advertisedHost),
    webhooks: readWebhooks(text('webhooks')),
    port: readPort(text('port'), 65_535),
    operatorPort: readPort(text('operator-port'), 65_535),
    rpcPort: readPort(text('rpc-port'), 65_534),
    shopPort: text('shop-port').value === undefined ? undefined : readPort(text('shop-port'), 65_535),
    databaseUrl: readUrl(text('database-url'), ['postgres:', 'postgresql:']),
    rpcUrl: readUrl(text('rpc-url'), ['http:', 'https:']),
  };
}

function parse(argv: string[]): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    reset: { type: 'boolean' },
    'market-hours': { type: 'boolean' },
  };
  for (const spec of specs) options[spec.name] = { type: 'string' };
  try {
    return parseArgs({ args: argv, options, allowPositionals: false }).values as Record<
      string,
      string | boolean | undefined
    >;
  } catch (error) {
    throw wrongArguments(error, Object.keys(options));
  }
}

function readHost({ value, source }: { value: string | undefined; source: string }): string {
  if (!value || /[\s/]/.test(value)) throw new UserError(`${source} must be a host name or an IP address`);
  return value;
}

function readWebhooks({ value, source }: { value: string | undefined; source: string }) {
  if (value !== 'local' && value !== 'private') throw new UserError(`${source} must be local or private`);
  return value;
}

function readPort(given: { value: string | undefined; source: string }, max: number): number {
  const value = given.value ?? '';
  if (!/^\d{1,5}$/.test(value) || Number(value) > max) {
    throw new UserError(`${given.source} must be a port from 0 to ${max}, not "${value}"`);
  }
  return Number(value);
}

function readUrl(
  given: { value: string | undefined; source: string },
  protocols: string[],
): string | undefined {
  if (given.value === undefined) return undefined;
  if (!URL.canParse(given.value) || !protocols.includes(new URL(given.value).protocol)) {
    throw new UserError(`${given.source} must be a URL that starts with ${protocols[0]}//`);
  }
  return given.value;
}

/** Options that belong together in the help, and those without a value. */
const groups: [title: string, names: (OptionName | 'reset' | 'market-hours')[]][] = [
  ['What it keeps', ['state-dir', 'reset']],
  ['Where it listens', ['port', 'operator-port', 'rpc-port', 'shop-port', 'host', 'advertised-host']],
  ['How it behaves', ['webhooks', 'market-hours']],
  ['Servers of your own', ['database-url', 'rpc-url']],
];

const flags: Record<string, string[]> = {
  reset: ['--reset', '', 'start over: deletes the contents of the state folder'],
  'market-hours': [
    '--market-hours',
    'KARAT_MARKET_HOURS',
    'close the market when New York closes (calendar), or never (always) [always]',
  ],
};

/** Returns the text of `--help`. */
export function helpText(paint: Screen['paint']): string {
  const rowOf = (name: string): string[] => {
    const spec: OptionSpec | undefined = specs.find((each) => each.name === name);
    if (!spec) return flags[name] ?? [];
    const standard = spec.default === undefined ? '' : ` [${spec.default}]`;
    return [`--${spec.name} ${spec.placeholder}`, spec.variable, `${spec.help}${standard}`];
  };
  const all = groups.flatMap(([, names]) => names.map(rowOf));
  const [first = 0, second = 0] = [0, 1].map((column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  );
  const lineOf = ([option = '', variable = '', help = '']: string[]) =>
    `  ${paint('cyan', option)}${' '.repeat(first - option.length)}  ${variable.padEnd(second)}  ${help}`;
  return [
    `${paint('bold', 'npm start -- [options]')}: runs all of Karat on this machine, with seeded data`,
    ...groups.flatMap(([title, names]) => [
      '',
      paint('bold', title),
      ...names.map((name) => lineOf(rowOf(name))),
    ]),
    '',
    'Ctrl-C stops it; the next start continues where it stopped.',
  ].join('\n');
}
