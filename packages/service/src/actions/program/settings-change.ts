import type { Settings } from '@karat/program-client';
import { noKey } from '../../chain/program/wallet.js';
import { noLimit } from '../../chain/program/window.js';
import { parseNumber } from '../../domain/money.js';
import { maxWithdrawOwners, priceDecimals } from '../../domain/settings-bounds.js';
import { type Address, asAddress } from '../../domain/solana.js';
import { invalidField } from '../../errors.js';
import { amountOf } from '../trades/quote-trade.js';
import type { toSettingsView } from './settings.js';

type SettingsView = ReturnType<typeof toSettingsView>;
type Name = keyof SettingsView;

/** What of the settings is to change, as people write it: what is left out stays. */
export type SettingsChange = { [Each in Name]?: Written<SettingsView[Each]> | undefined };

/** Addresses are texts until they are read. */
type Written<Value> = Value extends Address ? string : Value extends Address[] ? string[] : Value;

/** Reads what of the settings is to change, in the units of the program. Throws `invalid_request` naming the field. */
export function readSettingsChange(change: SettingsChange): Partial<Settings> {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const entries = given.map(([name, value]) => {
    const [setting, read] = readers[name as Name] as [keyof Settings, Reader<unknown>];
    return [setting, read(value, `settings.${name}`)];
  });
  return Object.fromEntries(entries) as Partial<Settings>;
}

type Reader<Value> = (value: Value, field: string) => Settings[keyof Settings];

const asIs: Reader<number> = (value) => value;
const flag: Reader<boolean> = (value) => (value ? 1 : 0);
const bytes: Reader<string> = (value) => Buffer.from(value, 'hex');
const limitOf: Reader<number | 'none'> = (value, name) => {
  if (value === 'none') return noLimit;
  const amount = amountOf(value, name);
  if (amount > 0n) return amount;
  throw invalidField(name, `${name} must be positive, or none.`);
};
const priceOf: Reader<number> = (value, name) => {
  const parsed = parseNumber(value, priceDecimals);
  if (parsed !== undefined && parsed > 0n && parsed <= BigInt(Number.MAX_SAFE_INTEGER)) return parsed;
  throw invalidField(name, `${name} must be positive, with at most ${priceDecimals} decimals.`);
};
const key: Reader<string> = (value, name) => addressOf(value, name);
const role: Reader<string | null> = (value, name) => (value === null ? noKey : addressOf(value, name));
const owners: Reader<string[]> = (value, name) => {
  const addresses = value.map((one, index) => addressOf(one, `${name}.${index}`));
  const twice = addresses.findIndex((one, index) => addresses.indexOf(one) !== index);
  if (twice >= 0) throw invalidField(`${name}.${twice}`, `${name}.${twice} appears twice in ${name}.`);
  return [...addresses, ...Array<Address>(maxWithdrawOwners - addresses.length).fill(noKey)];
};

function addressOf(value: string, name: string): Address {
  const address = asAddress(value);
  if (address && address !== noKey) return address;
  throw invalidField(name, `${name} must be an address.`);
}

const readers: { [Each in Name]: [keyof Settings, Reader<Written<SettingsView[Each]>>] } = {
  guardian: ['guardian', key],
  attestor: ['attestor', role],
  price_account: ['priceAccount', key],
  price_owner: ['priceOwner', key],
  feed_id: ['feedId', bytes],
  usdc_price_account: ['usdcPriceAccount', key],
  usdc_feed_id: ['usdcFeedId', bytes],
  min_price: ['minPriceE8', priceOf],
  max_price: ['maxPriceE8', priceOf],
  min_usdc_price: ['minUsdcPriceE8', priceOf],
  max_trade_usdc: ['maxTradeUsdc', limitOf],
  daily_outflow_usdc: ['dailyOutflowUsdc', limitOf],
  daily_outflow_gold: ['dailyOutflowGold', limitOf],
  daily_mint: ['dailyMint', limitOf],
  withdraw_owners: ['withdrawOwners', owners],
  max_age_open: ['maxAgeOpen', asIs],
  max_age_closed: ['maxAgeClosed', asIs],
  recovery_delay: ['recoveryDelay', asIs],
  change_delay: ['changeDelay', asIs],
  burn_delay: ['burnDelay', asIs],
  redemption_timeout: ['redemptionTimeout', asIs],
  opposite_side_seconds: ['oppositeSideSeconds', asIs],
  max_attestation_age: ['maxAttestationAge', asIs],
  max_confidence_bps: ['maxConfBps', asIs],
  min_fee_bps: ['minFeeBps', asIs],
  max_fee_bps: ['maxFeeBps', asIs],
  require_backing: ['requireBacking', flag],
  freeze_enabled: ['freezeEnabled', flag],
};
