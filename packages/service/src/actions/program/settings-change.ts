import type { Settings } from '@karat/program-client';
import { noKey } from '../../chain/program/wallet.js';
import { noLimit } from '../../chain/program/window.js';
import { parseNumber } from '../../domain/money.js';
import { maxWithdrawOwners, priceDecimals } from '../../domain/settings-bounds.js';
import { type Address, asAddress } from '../../domain/solana.js';
import { invalidField } from '../../errors.js';
import { amountOf } from '../trades/quote-trade.js';
import { type ChainValues, type SettingsView, type SettingValues, settingsTable } from './settings-table.js';

/** What of the settings is to change, as people write it: what is left out stays. */
export type SettingsChange = { [Name in keyof SettingsView]?: Written<SettingsView[Name]> | undefined };

/** Addresses are texts until they are read. */
type Written<Value> = Value extends Address ? string : Value extends Address[] ? string[] : Value;

/** Reads what of the settings is to change, in the units of the program. Throws `invalid_request` naming the field. */
export function readSettingsChange(change: SettingsChange): Partial<Settings> {
  const given = settingsTable.filter(([name]) => change[name] !== undefined);
  const entries = given.map(([name, setting, kind]) => [
    setting,
    readers[kind](change[name] as never, `settings.${name}`),
  ]);
  return Object.fromEntries(entries) as Partial<Settings>;
}

const readers: {
  [Kind in keyof SettingValues]: (value: Written<SettingValues[Kind]>, field: string) => ChainValues[Kind];
} = {
  address: addressOf,
  wallet: addressOf,
  role: (value, name) => (value === null ? noKey : addressOf(value, name)),
  feed: (value) => Buffer.from(value, 'hex'),
  price: priceOf,
  usdcPrice: priceOf,
  limit(value, name) {
    if (value === 'none') return noLimit;
    const amount = amountOf(value, name);
    if (amount > 0n) return amount;
    throw invalidField(name, `${name} must be positive, or none.`);
  },
  owners(value, name) {
    const addresses = value.map((one, index) => addressOf(one, `${name}.${index}`));
    const twice = addresses.findIndex((one, index) => addresses.indexOf(one) !== index);
    if (twice >= 0) throw invalidField(`${name}.${twice}`, `${name}.${twice} appears twice in ${name}.`);
    return [...addresses, ...Array<Address>(maxWithdrawOwners - addresses.length).fill(noKey)];
  },
  count: (value) => value,
  flag: (value) => (value ? 1 : 0),
};

function priceOf(value: number, name: string): bigint {
  const parsed = parseNumber(value, priceDecimals);
  if (parsed !== undefined && parsed > 0n && parsed <= BigInt(Number.MAX_SAFE_INTEGER)) return parsed;
  throw invalidField(name, `${name} must be positive, with at most ${priceDecimals} decimals.`);
}

function addressOf(value: string, name: string): Address {
  const address = asAddress(value);
  if (address && address !== noKey) return address;
  throw invalidField(name, `${name} must be an address.`);
}
