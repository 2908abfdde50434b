import { inspect } from 'node:util';
import { audiences, type KeyName, keySettings, signingSettings } from '@karat/signer/settings';
import { type Command, surfaces } from './commands.js';
import { toInteger } from './domain/integer.js';
import { nodeShares, usualBudgets } from './domain/limits.js';
import { isLoopbackHost } from './domain/loopback.js';
import { parseDecimal, tokenDecimals } from './domain/money.js';
import { didYouMean } from './domain/nearest.js';
import { namedNetworks } from './domain/network.js';
import { operatorRoles } from './domain/operator.js';
import type { Attestation, GroupRole } from './domain/single-sign-on.js';

/** A value that must not be printed: logs, errors and `inspect` show `[hidden]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value itself, for the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[hidden]';
  }

  toJSON(): string {
    return '[hidden]';
  }

  [inspect.custom](): string {
    return '[hidden]';
  }
}

type Read<T> = (text: string, name: string) => T;

interface Setting {
  name: string;
  default?: string;
  read: Read<unknown>;
}

const text: Read<string> = (value) => value;

const optional: Read<string | undefined> = (value) => (value === '' ? undefined : value);

const integer =
  (min: number, max: number): Read<number> =>
  (value, name) => {
    if (!/^\d{1,15}$/.test(value) || toInteger(value) < min || toInteger(value) > max) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}`);
    }
    return toInteger(value);
  };

const optionalPort: Read<number | undefined> = (value, name) =>
  value === '' ? undefined : integer(0, 65535)(value, name);

const url =
  (...protocols: string[]): Read<string> =>
  (value, name) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new ConfigError(
        `${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      );
    }
    return value;
  };

const list: Read<string[]> = (value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Addresses that differ, separated by commas. */
const urls =
  (...protocols: string[]): Read<string[]> =>
  (value, name) => {
    const items = list(value, name);
    for (const item of items) url(...protocols)(item, name);
    if (items.length === 0) throw new ConfigError(`${name} is not set`);
    if (new Set(items.map((item) => new URL(item).href)).size < items.length) {
      throw new ConfigError(`${name} names the same node twice`);
    }
    return items;
  };

const wsUrls: Read<string[]> = (value, name) => (value === '' ? [] : urls('ws:', 'wss:')(value, name));

const optionalUrl =
  (...protocols: string[]): Read<string | undefined> =>
  (value, name) =>
    value === '' ? undefined : url(...protocols)(value, name);

/** Who issues receipts: name, address and registration number. */
export interface Issuer {
  name: string;
  address: string;
  registrationNumber: string;
}

const issuer: Read<Issuer | undefined> = (value, name) => {
  if (value === '') return undefined;
  const [first, address, registrationNumber, ...rest] = value.split(';').map((part) => part.trim());
  if (!first || !address || !registrationNumber || rest.length > 0) {
    throw new ConfigError(`${name} must be "<name>; <address>; <registration number>"`);
  }
  return { name: first, address, registrationNumber };
};

const longSecret =
  (least: number): Read<Secret | undefined> =>
  (value, name) => {
    if (value === '') return undefined;
    if (value.length < least) throw new ConfigError(`${name} must have at least ${least} characters`);
    return new Secret(value);
  };

/** For another machine, the address must set whether the server is verified: PostgreSQL's clients accept any by default. */
const databaseUrl: Read<Secret> = (value, name) => {
  const { hostname, searchParams } = new URL(url('postgres:', 'postgresql:')(value, name));
  const hosts = [hostname, ...searchParams.getAll('host').flatMap((hosts) => hosts.split(','))].filter(
    Boolean,
  );
  // Without any, PGHOST names it.
  const isHere = hosts.length > 0 && hosts.every((host) => host.startsWith('/') || isLoopbackHost(host));
  const modes = searchParams.getAll('sslmode').join();
  if (!isHere && !['verify-full', 'disable'].includes(modes)) {
    throw new ConfigError(
      `${name} names another machine and must set sslmode=verify-full, or sslmode=disable for a private network`,
    );
  }
  return new Secret(value);
};

const optionalDatabaseUrl: Read<Secret | undefined> = (value, name) =>
  value === '' ? undefined : databaseUrl(value, name);

const flag: Read<boolean> = (value, name) => {
  if (value !== 'true' && value !== 'false') throw new ConfigError(`${name} must be true or false`);
  return value === 'true';
};

const oneOf =
  <Word extends string>(...words: Word[]): Read<Word> =>
  (value, name) => {
    const word = words.find((each) => each === value);
    if (word === undefined) throw new ConfigError(`${name} must be one of ${words.join(', ')}`);
    return word;
  };

/** An amount such as `0.5` in its smallest unit. */
const amount =
  (decimals: number): Read<bigint> =>
  (value, name) => {
    const parsed = value.length > 20 ? undefined : parseDecimal(value, decimals);
    if (parsed === undefined || parsed < 0n) {
      throw new ConfigError(`${name} must be an amount such as 0.5 with at most ${decimals} decimals`);
    }
    return parsed;
  };

/** One of the words, or nothing. */
const optionalOneOf =
  <Word extends string>(...words: Word[]): Read<Word | undefined> =>
  (value, name) =>
    value === '' ? undefined : oneOf(...words)(value, name);

/** The identity provider, over TLS unless it runs on this machine. */
const oidcIssuer: Read<string | undefined> = (value, name) => {
  if (value === '') return undefined;
  const { protocol, hostname } = new URL(url('http:', 'https:')(value, name));
  if (protocol === 'https:' || isLoopbackHost(hostname)) return value;
  throw new ConfigError(`${name} must start with https://`);
};

/** `group=role; group=role`: names of groups may have commas and equals signs. */
const groupRoles: Read<GroupRole[]> = (value, name) => {
  const items = value.split(';').map((item) => item.trim());
  const roles = items.filter(Boolean).map((item): GroupRole => {
    const at = item.lastIndexOf('=');
    const group = item.slice(0, Math.max(at, 0)).trim();
    const role = operatorRoles.find((each) => each === item.slice(at + 1).trim());
    if (group !== '' && role) return { group, role };
    throw new ConfigError(
      `${name} must be "<group>=<role>; <group>=<role>", with the roles ${operatorRoles.join(', ')}`,
    );
  });
  if (new Set(roles.map(({ group }) => group)).size === roles.length) return roles;
  throw new ConfigError(`${name} names a group twice: each has one role`);
};

const attestations: Read<Attestation[]> = (value, name) =>
  list(value, name).map((item) => {
    const [, claim, attested = ''] = /^(acr|amr)=(.+)$/.exec(item) ?? [];
    if (claim) return { claim: claim as Attestation['claim'], value: attested };
    throw new ConfigError(`${name} must be values such as acr=phr or amr=mfa, separated by commas`);
  });

const hours: Read<string> = (value, name) => {
  if (['calendar', 'always'].includes(value) || value.includes('/')) return value;
  throw new ConfigError(`${name} must be calendar, always, or the path of a file of holidays`);
};

const lamportDecimals = 9;

const port = integer(0, 65535);
const rateLimit = integer(1, 1_000_000);

/** Everything that can be set from outside, read once at the start: by which variable, and the default. */
const settings = {
  host: { name: 'KARAT_HOST', default: '127.0.0.1', read: text },
  port: { name: 'KARAT_PORT', default: '8080', read: port },
  operatorPort: { name: 'KARAT_OPERATOR_PORT', default: '8090', read: port },
  /** Where the operator API listens: this machine alone by default. */
  operatorHost: { name: 'KARAT_OPERATOR_HOST', default: '127.0.0.1', read: text },
  /** Scheme, host and port at which browsers reach the portal, for the links of invitations; undefined: this machine's. */
  portalUrl: { name: 'KARAT_PORTAL_URL', default: '', read: optionalUrl('http:', 'https:') },
  /** Where the metrics alone are served, by every process; undefined: nowhere but on the operator port. */
  metricsPort: { name: 'KARAT_METRICS_PORT', default: '', read: optionalPort },
  metricsHost: { name: 'KARAT_METRICS_HOST', default: '127.0.0.1', read: text },
  /** People that it takes to move value or power, such as a refund or a new wallet: 2 means that another one approves it. */
  approvals: { name: 'KARAT_APPROVALS', default: '2', read: integer(1, 2) },
  /** Whether sessions of roles that move value need a second factor. */
  secondFactor: { name: 'KARAT_SECOND_FACTOR', default: 'required', read: oneOf('required', 'optional') },
  /** The OpenID Connect provider at which operators sign in, and as which client; undefined: there is none. */
  oidcIssuer: { name: 'KARAT_OIDC_ISSUER', default: '', read: oidcIssuer },
  oidcClientId: { name: 'KARAT_OIDC_CLIENT_ID', default: '', read: optional },
  oidcClientSecret: { name: 'KARAT_OIDC_CLIENT_SECRET', default: '', read: longSecret(1) },
  /** Which role the provider's groups have here. The first that a person is in counts. */
  oidcRoles: { name: 'KARAT_OIDC_ROLES', default: '', read: groupRoles },
  /** By what the provider attests to a second factor; without any, Karat's own is needed. */
  oidcSecondFactor: { name: 'KARAT_OIDC_SECOND_FACTOR', default: '', read: attestations },
  /** Whether operators may sign in with passwords. */
  operatorPasswords: {
    name: 'KARAT_OPERATOR_PASSWORDS',
    default: 'allowed',
    read: oneOf('allowed', 'refused'),
  },
  databaseUrl: { name: 'DATABASE_URL', read: databaseUrl },
  /**
   * The same database without a pooler that lends its sessions for one transaction each: for leaders, notifications and
   * the schema. Undefined: `databaseUrl` leads to PostgreSQL itself.
   */
  databaseDirectUrl: { name: 'KARAT_DATABASE_DIRECT_URL', default: '', read: optionalDatabaseUrl },
  /**
   * A copy of the database that may lag, for the statements of the reserves, without a pooler that lends its sessions for
   * one transaction each; undefined: they are read from the database.
   */
  databaseReplicaUrl: { name: 'KARAT_DATABASE_REPLICA_URL', default: '', read: optionalDatabaseUrl },
  databasePoolSize: { name: 'KARAT_DATABASE_POOL_SIZE', default: '20', read: integer(2, 200) },
  /** The Solana network that the nodes must be on, which also gives `chain init` the mint of USDC; undefined: any. */
  network: { name: 'KARAT_NETWORK', default: '', read: optionalOneOf(...namedNetworks) },
  /** Solana nodes over HTTP, the preferred one first: reads fail over, and what is final needs two of them to agree. */
  rpcUrls: { name: 'KARAT_RPC_URL', read: urls('http:', 'https:') },
  /** Their WebSockets: the first one that works is used. */
  wsUrls: { name: 'KARAT_WS_URL', default: '', read: wsUrls },
  /** Whether nodes on other machines may be called without TLS. */
  allowPlainRpc: { name: 'KARAT_ALLOW_PLAIN_RPC', default: 'false', read: flag },
  programId: { ...signingSettings.programId, read: text },
  /** Where the service signer's key is: a key file (Solana CLI format) or the URL of another place. For processes that serve. */
  serviceSignerUrl: { name: keySettings.service.variable, default: '', read: optional },
  /** Where the other service signer's key is, while keys are rotated: it signs no quote, only guards on its own. */
  otherServiceSignerUrl: { name: keySettings.otherService.variable, default: '', read: optional },
  /** Where the program's admin, operations, guardian and market keys are, for processes that use them. */
  adminSignerUrl: { name: keySettings.admin.variable, default: '', read: optional },
  operationsSignerUrl: { name: keySettings.operations.variable, default: '', read: optional },
  guardianSignerUrl: { name: keySettings.guardian.variable, default: '', read: optional },
  marketSignerUrl: { name: keySettings.market.variable, default: '', read: optional },
  /** What the policy before the signatures allows. Base units of a quote, at most. */
  signMaxUsdc: { ...signingSettings.signMaxUsdc, read: amount(tokenDecimals) },
  signMaxGold: { ...signingSettings.signMaxGold, read: amount(tokenDecimals) },
  /** Lamports that the signatures of a key within an hour may cost it, in one process, quotes of trades not counted. */
  signMaxLamportsPerHour: { ...signingSettings.signMaxLamportsPerHour, read: amount(lamportDecimals) },
  /** While this file exists, nothing is signed. */
  signKillFile: { ...signingSettings.signKillFile, read: optional },
  /** What pickup codes are drawn from, of at least 32 characters, for processes that serve; the same for all of them. */
  pickupSecret: { name: 'KARAT_PICKUP_SECRET', default: '', read: longSecret(32) },
  /** Where the key is that wraps the data keys of KYC records, for processes that serve or deliver. */
  kycKeyUrl: { name: 'KARAT_KYC_KEY', default: '', read: optional },
  /** Where the key is that wrapped them before, while it is replaced. */
  otherKycKeyUrl: { name: 'KARAT_OTHER_KYC_KEY', default: '', read: optional },
  /** Where the key is that signs statements of the reserves, for the process that keeps; undefined: none are made. */
  reservesSignerUrl: { name: keySettings.reserves.variable, default: '', read: optional },
  /** What the keys of authenticator apps are drawn from, of at least 32 characters; without it, only passkeys are offered. */
  totpSecret: { name: 'KARAT_TOTP_SECRET', default: '', read: longSecret(32) },
  logLevel: {
    ...signingSettings.logLevel,
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  /** The OpenTelemetry collector that traces are sent to; undefined: nothing is traced. Its SDK reads other `OTEL_` names. */
  otlpEndpoint: { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', default: '', read: optionalUrl('http:', 'https:') },
  /** Addresses or CIDR ranges of proxies whose `x-forwarded-for` is believed; none by default. */
  trustedProxies: { name: 'KARAT_TRUSTED_PROXIES', default: '', read: list },
  /** Who stands on receipts of hand-overs as their issuer; undefined: receipts name none. */
  receiptIssuer: { name: 'KARAT_RECEIPT_ISSUER', default: '', read: issuer },
  /** Requests a minute and IP on the auth routes. */
  authRateLimitPerMinute: {
    name: 'KARAT_AUTH_RATE_LIMIT',
    default: String(usualBudgets.auth),
    read: rateLimit,
  },
  /** Requests a minute and IP on the other routes without a key: submitting signed transactions, and the price, each. */
  openRateLimitPerMinute: {
    name: 'KARAT_OPEN_RATE_LIMIT',
    default: String(usualBudgets.open),
    read: rateLimit,
  },
  /** Requests a minute and API key on all other routes, over all processes. */
  keyRateLimitPerMinute: { name: 'KARAT_KEY_RATE_LIMIT', default: String(usualBudgets.key), read: rateLimit },
  /** Requests a minute and operator, over all processes. */
  operatorRateLimitPerMinute: {
    name: 'KARAT_OPERATOR_RATE_LIMIT',
    default: String(usualBudgets.operator),
    read: rateLimit,
  },
  /** Calls a second to the nodes that requests of callers may cause in one process; Karat's own do not count. */
  callerRpcRateLimitPerSecond: {
    name: 'KARAT_CALLER_RPC_RATE_LIMIT',
    default: String(nodeShares.usualPerSecond),
    // What needs no key takes four calls and has a quarter.
    read: integer(16, 1_000_000),
  },
  /** Price in micro-lamports per compute unit that trades pay, at most. */
  priorityFeeCapMicroLamports: {
    ...signingSettings.priorityFeeCapMicroLamports,
    read: integer(0, 1_000_000_000),
  },
  /**
   * When the market of gold is open: `calendar`, as New York trades, with the holidays that come with the service, or with
   * those of a file, by its path; `always`, at all hours.
   */
  marketHours: { name: 'KARAT_MARKET_HOURS', default: 'calendar', read: hours },
  /** Path of a list of wallets that may not be served, one a line; undefined: none is screened. */
  sanctionsList: { name: 'KARAT_SANCTIONS_LIST', default: '', read: optional },
  /** Below these the keeper warns. Lamports of each of the service's keys, base units of what the treasury holds. */
  minSignerLamports: { name: 'KARAT_MIN_SIGNER_SOL', default: '1', read: amount(lamportDecimals) },
  minTreasuryUsdc: { name: 'KARAT_MIN_TREASURY_USDC', default: '100000', read: amount(tokenDecimals) },
  minTreasuryGold: { name: 'KARAT_MIN_TREASURY_GOLD', default: '25', read: amount(tokenDecimals) },
};

/** The variables of all settings. */
export const settingNames = Object.values(settings).map(({ name }) => name);

/** What no deployment sets and tests replace. */
const fixed = {
  /** How long `POST /api/transactions/submit` waits for confirmation. */
  submitWaitSeconds: 30,
};

/** What follows from the settings. */
interface Derived {
  /** Whether webhooks may go to this machine, over http too: only with a chain of one's own. `private`: to private networks as well. */
  webhooksAllowLocal: boolean | 'private';
}

export type Config = {
  [Key in keyof typeof settings]: ReturnType<(typeof settings)[Key]['read']>;
} & typeof fixed &
  Derived;

/** A configuration that cannot be used: the message names the variable and never its value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** One thing that is wrong with an environment. */
export interface ConfigFault {
  /** The variables to blame. */
  names: string[];
  /** Names variables and never their values. */
  message: string;
}

/**
 * Reads the configuration from an environment, as far as it can be read, with everything that is wrong: missing and
 * malformed values, and `KARAT_` names that are not known, which are nearly always misspelt ones.
 */
export function checkConfig(env: Record<string, string | undefined>): {
  values: Partial<Config>;
  faults: ConfigFault[];
} {
  const values: Record<string, unknown> = { ...fixed };
  const faults: ConfigFault[] = [];
  const isUnknown = (name: string) => name.startsWith('KARAT_') && !settingNames.includes(name);
  for (const name of Object.keys(env).filter(isUnknown).sort()) {
    const meant = didYouMean(name, settingNames).trim();
    const hint = meant === '' ? 'docs/operations/README.md lists all settings' : meant;
    faults.push({ names: [name], message: `unknown setting ${name}; ${hint}` });
  }
  for (const [key, setting] of Object.entries<Setting>(settings)) {
    const { name } = setting;
    const chosen = env[name] || setting.default;
    try {
      if (chosen === undefined) throw new ConfigError(`${name} is not set`);
      values[key] = setting.read(chosen, name);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push({ names: [name], message: error.message });
    }
  }
  const read = values as Partial<Config>;
  faults.push(...plainFaults(read), ...signOnFaults(read));
  read.webhooksAllowLocal = read.network === 'localnet';
  if (read.wsUrls?.length === 0 && read.rpcUrls) read.wsUrls = read.rpcUrls.map(defaultWsUrl);
  return { values: read, faults };
}

/** The kind of process that reaches the keys of each audience. */
const callers = { partners: 'serve-partners', operators: 'serve-operators', keeper: 'keep' } as const;

const usersOfKey = (name: KeyName): Command[] =>
  (Object.keys(callers) as (keyof typeof callers)[])
    .filter((audience) => (audiences[audience] as readonly KeyName[]).includes(name))
    .map((audience) => callers[audience]);

/** The kinds of processes that use a setting which leads to a secret, or is one. All others do without. */
const usedBy = {
  serviceSignerUrl: usersOfKey('service'),
  otherServiceSignerUrl: usersOfKey('otherService'),
  adminSignerUrl: usersOfKey('admin'),
  operationsSignerUrl: usersOfKey('operations'),
  guardianSignerUrl: usersOfKey('guardian'),
  marketSignerUrl: usersOfKey('market'),
  reservesSignerUrl: usersOfKey('reserves'),
  pickupSecret: surfaces,
  totpSecret: surfaces,
  kycKeyUrl: [...surfaces, 'deliver'],
  otherKycKeyUrl: [...surfaces, 'deliver'],
  /** No secret: what does not serve screens nothing, and does not follow the list. */
  sanctionsList: surfaces,
} as const satisfies Partial<Record<keyof Config, readonly Command[]>>;

type Used = keyof typeof usedBy;

/** Those of them without which processes that use them do not start. */
const needed: Partial<Record<Used, string>> = {
  serviceSignerUrl: 'signs quotes with its key',
  pickupSecret: 'draws pickup codes from it',
  kycKeyUrl: 'reads KYC data, which its key encrypts',
};

/** Returns those of the kinds that use a setting. */
const usersOf = (setting: Used, kinds: ReadonlySet<Command>) =>
  usedBy[setting].filter((kind: Command) => kinds.has(kind));

/** Returns the settings of a process of these kinds: what it does not need is not in its memory. */
export function settingsFor(kinds: ReadonlySet<Command>, config: Config): Config {
  const unused = (Object.keys(usedBy) as Used[]).filter((setting) => usersOf(setting, kinds).length === 0);
  return { ...config, ...Object.fromEntries(unused.map((setting) => [setting, undefined])) };
}

/**
 * Returns what keeps processes of these kinds from starting: settings that are not set, with their use, and keys of the
 * other surface where one alone is served, which a thief of the process must not find.
 */
export function refusedBy(kinds: ReadonlySet<Command>, values: Partial<Config>): ConfigFault[] {
  const [served, ...others] = surfaces.filter((surface) => kinds.has(surface));
  const missing = (Object.keys(needed) as (keyof typeof needed)[]).flatMap((setting) => {
    const [user] = usersOf(setting, kinds);
    if (values[setting] !== undefined || user === undefined) return [];
    const { name } = settings[setting];
    const called = others.length > 0 && user !== 'deliver' ? 'serve' : user;
    return [{ names: [name], message: `${name} is not set: karat ${called} ${needed[setting]}` }];
  });
  if (served === undefined || others.length > 0) return missing;
  const foreign = Object.values(keySettings).filter(
    ({ setting }) => values[setting] !== undefined && usersOf(setting, kinds).length === 0,
  );
  return [
    ...missing,
    ...foreign.map(({ setting, variable }) => ({
      names: [variable],
      message: `${variable} is set, and its key is for karat ${usedBy[setting].join(' and ')} alone: unset it for karat ${served}`,
    })),
  ];
}

/** Reads the configuration from an environment. Throws a `ConfigError` with the first thing that is wrong with it. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const { values, faults } = checkConfig(env);
  const [first] = faults;
  if (first) throw new ConfigError(first.message);
  return values as Config;
}

/**
 * Reads the configuration for a command that needs no database. Throws a `ConfigError` with the first thing that is
 * wrong.
 */
export function readChainConfig(env: Record<string, string | undefined>): Omit<Config, 'databaseUrl'> {
  const { values, faults } = checkConfig(env);
  const first = faults.find(({ names }) => !names.includes('DATABASE_URL'));
  if (first) throw new ConfigError(first.message);
  return values as Config;
}

/** The settings by which sessions of one's own are opened. */
export type SessionConfig = Pick<Config, 'databaseUrl'> & Partial<Pick<Config, 'databaseDirectUrl'>>;

/** Returns the address at which a session stays the same from one transaction to the next. */
export function sessionUrlOf({ databaseUrl, databaseDirectUrl }: SessionConfig): string {
  return (databaseDirectUrl ?? databaseUrl).reveal();
}

/** Reads the settings of the keys of KYC data alone, for a command that needs nothing else but the database. */
export function readKycConfig(
  env: Record<string, string | undefined>,
): Pick<Config, 'kycKeyUrl' | 'otherKycKeyUrl'> {
  return {
    kycKeyUrl: env.KARAT_KYC_KEY || undefined,
    otherKycKeyUrl: env.KARAT_OTHER_KYC_KEY || undefined,
  };
}

/** Reads the database alone, without a pooler, for a command that needs nothing else. Throws a `ConfigError`. */
export function readDatabaseUrl(env: Record<string, string | undefined>): Secret {
  const direct = env[directUrlVariable];
  if (direct) return databaseUrl(direct, directUrlVariable);
  const url = env.DATABASE_URL;
  if (!url) throw new ConfigError('DATABASE_URL is not set');
  return databaseUrl(url, 'DATABASE_URL');
}

/**
 * Returns the settings by which calls would go to another machine without TLS, where anyone on the way could change
 * them.
 */
function plainFaults({ rpcUrls = [], wsUrls = [], allowPlainRpc }: Partial<Config>): ConfigFault[] {
  if (allowPlainRpc !== false) return [];
  const named = { KARAT_RPC_URL: rpcUrls, KARAT_WS_URL: wsUrls };
  return Object.entries(named).flatMap(([name, addresses]) => {
    const plain = addresses
      .map((address) => new URL(address))
      .filter(({ protocol }) => !['https:', 'wss:'].includes(protocol));
    if (plain.every(({ hostname }) => isLoopbackHost(hostname))) return [];
    const message = `${name} points to another machine without TLS: use https and wss, or set KARAT_ALLOW_PLAIN_RPC to true on a private network`;
    return [{ names: [name], message }];
  });
}

/** Returns what is missing for operators to sign in at an identity provider. */
function signOnFaults(values: Partial<Config>): ConfigFault[] {
  const { oidcIssuer: issuer, oidcRoles: roles, operatorPasswords } = values;
  const others = ['oidcClientId', 'oidcClientSecret', 'oidcRoles', 'oidcSecondFactor'] as const;
  const isSet = (setting: (typeof others)[number]) => {
    const value = values[setting];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  };
  const issuerName = settings.oidcIssuer.name;
  if (issuer === undefined) {
    const used = others.filter(isSet).map((setting) => settings[setting].name);
    if (operatorPasswords === 'refused') used.push(settings.operatorPasswords.name);
    const message = `${issuerName} is not set, which ${used.join(' and ')} needs`;
    return used.length > 0 ? [{ names: [issuerName], message }] : [];
  }
  return others
    .filter((setting) => setting !== 'oidcSecondFactor' && !isSet(setting))
    .filter((setting) => setting !== 'oidcRoles' || roles !== undefined)
    .map((setting) => {
      const { name } = settings[setting];
      return { names: [name], message: `${name} is not set, which ${issuerName} needs` };
    });
}

const directUrlVariable = 'KARAT_DATABASE_DIRECT_URL';

/** The address by which commands connect as the owner of the tables. Processes are not given it. */
export const ownerUrlVariable = 'KARAT_OWNER_DATABASE_URL';

/** Returns the address of the tables' owner, for the commands that take it. Throws a `ConfigError`. */
export function findOwnerUrl(env: Record<string, string | undefined>): Secret | undefined {
  const url = env[ownerUrlVariable];
  return url ? databaseUrl(url, ownerUrlVariable) : undefined;
}

/**
 * Returns the WebSocket address that goes with an RPC address: port + 1 where the port is named, as Solana clients do.
 */
function defaultWsUrl(rpcUrl: string): string {
  const ws = new URL(rpcUrl);
  ws.protocol = ws.protocol === 'https:' ? 'wss:' : 'ws:';
  if (ws.port !== '') ws.port = String(toInteger(ws.port) + 1);
  return ws.toString().replace(/\/$/, '');
}
