import type { Settings } from '@karat/program-client';
import type { Address } from '../../domain/solana.js';

/** What people read and write in the place of each kind of setting. */
export interface SettingValues {
  address: Address;
  /** Of a key that signs. */
  wallet: Address;
  /** Null: no key has the role. */
  role: Address | null;
  /** Hexadecimal. */
  feed: string;
  /** US dollars. */
  price: number;
  /** At most par. */
  usdcPrice: number;
  /** USDC or GOLD. */
  limit: number | 'none';
  owners: Address[];
  /** Seconds or basis points. */
  count: number;
  flag: boolean;
}

/**
 * The settings of the program, each by its name for people, in which the command line has - for _; by that of the program; and
 * by its kind, which says how it is read and written.
 */
export const settingsTable = [
  ['guardian', 'guardian', 'wallet'],
  ['attestor', 'attestor', 'role'],
  ['price_account', 'priceAccount', 'address'],
  ['price_owner', 'priceOwner', 'address'],
  ['feed_id', 'feedId', 'feed'],
  ['usdc_price_account', 'usdcPriceAccount', 'address'],
  ['usdc_feed_id', 'usdcFeedId', 'feed'],
  ['min_price', 'minPriceE8', 'price'],
  ['max_price', 'maxPriceE8', 'price'],
  ['min_usdc_price', 'minUsdcPriceE8', 'usdcPrice'],
  ['max_trade_usdc', 'maxTradeUsdc', 'limit'],
  ['daily_outflow_usdc', 'dailyOutflowUsdc', 'limit'],
  ['daily_outflow_gold', 'dailyOutflowGold', 'limit'],
  ['daily_mint', 'dailyMint', 'limit'],
  ['withdraw_owners', 'withdrawOwners', 'owners'],
  ['max_age_open', 'maxAgeOpen', 'count'],
  ['max_age_closed', 'maxAgeClosed', 'count'],
  ['recovery_delay', 'recoveryDelay', 'count'],
  ['change_delay', 'changeDelay', 'count'],
  ['burn_delay', 'burnDelay', 'count'],
  ['redemption_timeout', 'redemptionTimeout', 'count'],
  ['opposite_side_seconds', 'oppositeSideSeconds', 'count'],
  ['max_attestation_age', 'maxAttestationAge', 'count'],
  ['max_confidence_bps', 'maxConfBps', 'count'],
  ['min_fee_bps', 'minFeeBps', 'count'],
  ['max_fee_bps', 'maxFeeBps', 'count'],
  ['require_backing', 'requireBacking', 'flag'],
  ['freeze_enabled', 'freezeEnabled', 'flag'],
] as const satisfies [name: string, setting: keyof Settings, kind: keyof SettingValues][];

type Row = (typeof settingsTable)[number];

/** The settings as people read them. */
export type SettingsView = { [Each in Row as Each[0]]: SettingValues[Each[2]] };

/** What the program has for each kind. */
export type ChainValues = {
  [Kind in keyof SettingValues]: Settings[Extract<Row, readonly [string, keyof Settings, Kind]>[1]];
};
