import type { Settings } from '@karat/program-client';
import { type Address, isAddress } from '@solana/kit';
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

/** By which option each setting is given, and how that is read. */
type Readers<Given> = { [Name in keyof Given]: [option: string, read: Read<Given[Name]>] };

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

/** What `chain init` has no default of its own for: they follow from keys of this process, and from the oracle. */
type Derived = 'guardian' | 'priceAccount' | 'priceOwner' | 'feedId' | 'usdcPriceAccount' | 'usdcFeedId';

/** The bounds are those of the program, which refuses anything else. */
const plainReaders: Readers<Omit<Settings, Derived>> = {
  minPriceE8: ['min-price', readPrice],
  maxPriceE8: ['max-price', readPrice],
  minUsdcPriceE8: ['min-usdc-price', readUsdcPrice],
  maxTradeUsdc: ['max-trade-usdc', readLimit],
  dailyOutflowUsdc: ['daily-outflow-usdc', readLimit],
  dailyOutflowGold: ['daily-outflow-gold', readLimit],
  dailyMint: ['daily-mint', readLimit],
  maxAgeOpen: ['max-age-open', count(settingsBounds.maxAgeOpen)],
  maxAgeClosed: ['max-age-closed', count(settingsBounds.maxAgeClosed)],
  maxConfBps: ['max-confidence-bps', count(settingsBounds.maxConfBps)],
  minFeeBps: ['min-fee-bps', count(settingsBounds.minFeeBps)],
  maxFeeBps: ['max-fee-bps', count(settingsBounds.maxFeeBps)],
  oppositeSideSeconds: ['opposite-side-seconds', count(settingsBounds.oppositeSideSeconds)],
  attestor: ['attestor', readRole],
  withdrawOwners: ['withdraw-owners', readOwners],
  recoveryDelay: ['recovery-delay', count(settingsBounds.recoveryDelay)],
  changeDelay: ['change-delay', count(settingsBounds.changeDelay)],
  burnDelay: ['burn-delay', count(settingsBounds.burnDelay)],
  redemptionTimeout: ['redemption-timeout', count(settingsBounds.redemptionTimeout)],
  maxAttestationAge: ['max-attestation-age', count(settingsBounds.maxAttestationAge)],
  requireBacking: ['require-backing', readFlag],
  freezeEnabled: ['freeze-enabled', readFlag],
};

const derivedReaders: Readers<Pick<Settings, Derived>> = {
  guardian: ['guardian', readWallet],
  priceAccount: ['price-account', readAddress],
  priceOwner: ['price-owner', readAddress],
  feedId: ['feed-id', readFeedId],
  usdcPriceAccount: ['usdc-price-account', readAddress],
  usdcFeedId: ['usdc-feed-id', readFeedId],
};

/** Where the prices are published, if the call names nothing else. */
export type Oracle = Pick<Settings, Exclude<Derived, 'guardian'>>;

/** Reads the settings that `chain init` gives the program. */
export function readInitialSettings(call: Call, oracle: Oracle): Omit<Settings, 'guardian'> {
  const { guardian: _guardian, ...oracleReaders } = derivedReaders;
  const settings = { ...oracle, ...readGiven(call, oracleReaders), ...readAll(call, plainReaders) };
  requireOrdered(call, settings);
  return settings;
}

/** Reads the settings that `chain propose` changes; empty when the call names none. */
export function readChangedSettings(call: Call): Partial<Settings> {
  const changes: Partial<Settings> = readGiven(call, { ...derivedReaders, ...plainReaders });
  requireOrdered(call, changes);
  return changes;
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

function readAll<Given>(call: Call, readers: Readers<Given>): Given {
  const entries = Object.entries<[string, Read<unknown>]>(readers);
  return Object.fromEntries(entries.map(([setting, [name, read]]) => [setting, read(call, name)])) as Given;
}

/** Reads the settings that the call names. */
function readGiven<Given>(call: Call, readers: Readers<Given>): Partial<Given> {
  const entries = Object.entries<[string, Read<unknown>]>(readers);
  const given = entries.filter(([, [name]]) => call.find(name) !== undefined);
  return readAll(call, Object.fromEntries(given) as Readers<Partial<Given>>);
}
