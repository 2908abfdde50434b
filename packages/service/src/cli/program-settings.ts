import type { Settings } from '@karat/program-client';
import { type Address, isAddress } from '@solana/kit';
import { type ChainValues, type SettingValues, settingsTable } from '../actions/program/settings-table.js';
import { noKey } from '../chain/program/wallet.js';
import { noLimit } from '../chain/program/window.js';
import { toInteger } from '../domain/integer.js';
import { tokenDecimals } from '../domain/money.js';
import {
  maxUsdcPriceE8,
  maxWithdrawOwners,
  priceDecimals,
  settingsBounds,
} from '../domain/settings-bounds.js';
import { type Call, UsageError } from './command.js';
import { type Read, readAddress, readRole, readWallet } from './keys.js';
import { quoted } from './parse.js';
import { mustBe, readAmount } from './texts.js';

/** Reads a whole number within the bounds of the program. */
const count =
  ([least, most]: readonly [number, number]): Read<number> =>
  (call, name) => {
    const text = call.get(name);
    const number = /^\d{1,9}$/.test(text) ? toInteger(text) : -1;
    if (number >= least && number <= most) return number;
    throw mustBe(call, name, `a whole number from ${least} to ${most}`);
  };

const readPrice: Read<bigint> = (call, name) => readAmount(call, name, priceDecimals);

/** Reads the price of USDC to buy gold at: par is the highest, above which gold could not be bought. */
const readUsdcPrice: Read<bigint> = (call, name) => {
  const price = readPrice(call, name);
  if (price <= maxUsdcPriceE8) return price;
  throw mustBe(call, name, 'at most 1');
};

/** Reads a limit: an amount above 0, or the word that means none, so that no limit is a decision that somebody typed. */
const readLimit: Read<bigint> = (call, name) => {
  if (call.get(name) === 'none') return noLimit;
  return readAmount(call, name, tokenDecimals, { or: ', or none for no limit' });
};

const readFlag: Read<number> = (call, name) => {
  const text = call.get(name);
  if (text === 'yes') return 1;
  if (text === 'no') return 0;
  throw mustBe(call, name, 'yes or no');
};

const readFeedId: Read<Uint8Array> = (call, name) => {
  const text = call.get(name).replace(/^0x/, '');
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw mustBe(call, name, '64 hexadecimal digits');
};

/** Reads up to four addresses, separated by commas; `none` for an empty list. */
function readOwners(call: Call, name: string): Address[] {
  const text = call.get(name);
  const owners = text === 'none' ? [] : text.split(',');
  const distinct = new Set(owners).size === owners.length;
  if (
    owners.length > maxWithdrawOwners ||
    !distinct ||
    !owners.every((owner) => isAddress(owner) && owner !== noKey)
  ) {
    throw mustBe(call, name, 'one to four different addresses with commas, or none');
  }
  return [...(owners as Address[]), ...Array<Address>(maxWithdrawOwners - owners.length).fill(noKey)];
}

/** How the value of an option is read for each kind of setting. */
const readers: {
  [Kind in keyof SettingValues]: (setting: keyof Settings) => Read<ChainValues[Kind]>;
} = {
  address: () => readAddress,
  wallet: () => readWallet,
  role: () => readRole,
  feed: () => readFeedId,
  price: () => readPrice,
  usdcPrice: () => readUsdcPrice,
  limit: () => readLimit,
  owners: () => readOwners,
  // The bounds are those of the program, which refuses anything else.
  count: (setting) => count(settingsBounds[setting as keyof typeof settingsBounds]),
  flag: () => readFlag,
};

/** Where the prices are published, if the call names nothing else. */
export type Oracle = Pick<
  Settings,
  'priceAccount' | 'priceOwner' | 'feedId' | 'usdcPriceAccount' | 'usdcFeedId'
>;

/** Reads the settings that `chain init` gives the program: the guardian's key is one of this process. */
export function readInitialSettings(call: Call, oracle: Oracle): Omit<Settings, 'guardian'> {
  const settings = {
    ...oracle,
    ...readSettings(call, (setting, option) => {
      if (setting === 'guardian') return false;
      return !(setting in oracle) || call.find(option) !== undefined;
    }),
  } as Omit<Settings, 'guardian'>;
  requireOrdered(call, settings);
  return settings;
}

/** Reads the settings that `chain propose` changes; empty when the call names none. */
export function readChangedSettings(call: Call): Partial<Settings> {
  const changes = readSettings(call, (_, option) => call.find(option) !== undefined);
  requireOrdered(call, changes);
  return changes;
}

function readSettings(
  call: Call,
  isRead: (setting: keyof Settings, option: string) => boolean,
): Partial<Settings> {
  const rows = settingsTable.map(([name, ...row]) => [name.replaceAll('_', '-'), ...row] as const);
  const read = rows.filter(([option, setting]) => isRead(setting, option));
  const entries = read.map(([option, setting, kind]) => [setting, readers[kind](setting)(call, option)]);
  return Object.fromEntries(entries) as Partial<Settings>;
}

/** Throws a `UsageError` for a lowest value above the highest one. */
function requireOrdered(call: Call, settings: Partial<Settings>): void {
  const { minPriceE8: low, maxPriceE8: high, minFeeBps, maxFeeBps } = settings;
  if (low !== undefined && high !== undefined && low > high) throw above(call, 'min-price', 'max-price');
  if (minFeeBps !== undefined && maxFeeBps !== undefined && minFeeBps > maxFeeBps) {
    throw above(call, 'min-fee-bps', 'max-fee-bps');
  }
}

function above(call: Call, low: string, high: string): UsageError {
  return mustBe(call, low, `at most ${call.get(high)}, which is ${call.sourceOf(high)}`);
}

/** A role with its key, and the option or variable that gave it. */
export interface NamedKey {
  role: string;
  key: Address | undefined;
  source: string;
}

/** Pairs of roles that one key must not have both of, as the program demands. */
const apart: readonly (readonly [string, string])[] = [
  ['guardian', 'admin'],
  ['attestor', 'admin'],
  ['attestor', 'guardian'],
  ['attestor', 'operations'],
  ['attestor', 'service signer'],
];

/** Throws a `UsageError` that names both, when one key would have two roles that the program keeps apart. */
export function requireRolesApart(keys: readonly NamedKey[]): void {
  for (const [one, other] of apart) {
    const [first, second] = [one, other].map((role) => keys.find((each) => each.role === role));
    if (!first?.key || first.key === noKey || first.key !== second?.key) continue;
    throw new UsageError(
      `${first.source} must differ from ${second.source}: ${one} and ${other} must not be the same key, ${quoted(first.key)}`,
    );
  }
}
