import { type Address, isAddress } from '@solana/kit';
import type { PolicySettings } from './policy.js';
import { audiences, type KeyName, keySettings, maxSignaturesPerMinute, signingSettings } from './settings.js';

/** A configuration that cannot be used: the message names the variable and never its value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export interface SignerConfig {
  /** Where each key is. */
  urls: Partial<Record<KeyName, string>>;
  policy: Omit<PolicySettings, 'nowMs' | 'tickMs'>;
  logLevel: string;
}

type Env = Readonly<Record<string, string | undefined>>;
type Setting = { name: string; default?: string };

/**
 * Reads the settings of this process from its environment. Throws a `ConfigError` with the first thing that is wrong, as is
 * any other `KARAT_` name: a misspelt limit would be none.
 */
export function readConfig(env: Env): SignerConfig {
  const keys = Object.entries(keySettings) as [KeyName, { variable: string }][];
  const known = [
    ...Object.values(signingSettings).map(({ name }) => name as string),
    ...keys.map(([, { variable }]) => variable),
  ];
  const unknown = Object.keys(env).filter((name) => name.startsWith('KARAT_') && !known.includes(name));
  if (unknown.length > 0) {
    throw new ConfigError(
      `unknown setting ${unknown.sort().join(', ')}; the environment of karat-signer is its own, with ${known.join(', ')}`,
    );
  }
  const urls: SignerConfig['urls'] = {};
  for (const [name, { variable }] of keys) {
    const url = env[variable];
    if (url) urls[name] = url;
  }
  requireOneAudience(Object.keys(urls) as KeyName[]);
  return {
    urls,
    policy: {
      programAddress: readAddress(env, signingSettings.programId),
      maxUsdc: readAmount(env, signingSettings.signMaxUsdc, 6),
      maxGold: readAmount(env, signingSettings.signMaxGold, 6),
      maxComputeUnitPrice: BigInt(readInteger(env, signingSettings.priorityFeeCapMicroLamports)),
      signaturesPerMinute: maxSignaturesPerMinute,
      lamportsPerHour: readAmount(env, signingSettings.signMaxLamportsPerHour, 9),
      killFile: textOf(env, signingSettings.signKillFile) || undefined,
    },
    logLevel: readLevel(env, signingSettings.logLevel),
  };
}

/** Throws a `ConfigError` unless one audience has all of these keys. */
function requireOneAudience(names: KeyName[]): void {
  const all: readonly (readonly KeyName[])[] = Object.values(audiences);
  if (all.some((held) => names.every((name) => held.includes(name)))) return;
  const variables = (each: readonly KeyName[]) => each.map((name) => keySettings[name].variable);
  const groups = Object.entries(audiences).map(([name, held]) => `${name} (${variables(held).join(', ')})`);
  throw new ConfigError(
    `${variables(names).join(' and ')} are for different callers: run one karat-signer for each of ${groups.join(', ')}`,
  );
}

function textOf(env: Env, setting: Setting): string {
  const text = env[setting.name] || setting.default;
  if (text === undefined) throw new ConfigError(`${setting.name} is not set`);
  return text;
}

function readAddress(env: Env, setting: Setting): Address {
  const text = textOf(env, setting);
  if (isAddress(text)) return text;
  throw new ConfigError(`${setting.name} is not an address`);
}

const maxInteger = 1_000_000_000;

function readInteger(env: Env, setting: Setting): number {
  const text = textOf(env, setting);
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value <= maxInteger) return value;
  throw new ConfigError(`${setting.name} must be a whole number from 0 to ${maxInteger}`);
}

/** Reads a decimal as base units, exactly. */
function readAmount(env: Env, setting: Setting, decimals: number): bigint {
  const text = textOf(env, setting);
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole !== undefined && fraction.length <= decimals)
    return BigInt(whole + fraction.padEnd(decimals, '0'));
  throw new ConfigError(`${setting.name} must be an amount such as 0.5 with at most ${decimals} decimals`);
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

function readLevel(env: Env, setting: Setting): string {
  const text = textOf(env, setting);
  if (levels.includes(text)) return text;
  throw new ConfigError(`${setting.name} must be one of ${levels.join(', ')}`);
}
