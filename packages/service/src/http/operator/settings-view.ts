import { Type } from '@fastify/type-provider-typebox';
import { type ChainSettings, toSettingsStateView } from '../../actions/program/settings.js';
import { decimalNumber, formatDecimal } from '../../domain/money.js';
import {
  maxUsdcPriceE8,
  maxWithdrawOwners,
  priceDecimals,
  settingsBounds,
} from '../../domain/settings-bounds.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { settingsField as field } from './settings-fields.js';
import { Limit } from './shapes.js';

type Meaning = { description?: string; [option: string]: unknown };

const count = (bounds: readonly [number, number], meaning: Meaning) =>
  Type.Integer({ ...meaning, minimum: bounds[0], maximum: bounds[1] });
const price = (meaning: Meaning, bounds: Meaning = {}) =>
  Type.Number({ ...meaning, exclusiveMinimum: 0, ...bounds });
const feedId = (meaning: Meaning) => Type.String({ ...meaning, pattern: '^[0-9a-f]{64}$' });

const settings = {
  guardian: Type.String(field.guardian),
  attestor: Nullable(Type.String(), field.attestor),
  price_account: Type.String(field.priceAccount),
  price_owner: Type.String(field.priceOwner),
  feed_id: feedId(field.feedId),
  usdc_price_account: Type.String(field.usdcPriceAccount),
  usdc_feed_id: feedId(field.usdcFeedId),
  min_price: price(field.minPrice),
  max_price: price(field.maxPrice),
  min_usdc_price: price(field.minUsdcPrice, {
    maximum: decimalNumber(formatDecimal(maxUsdcPriceE8, priceDecimals)),
  }),
  max_trade_usdc: Limit(field.maxTradeUsdc),
  daily_outflow_usdc: Limit(field.dailyOutflowUsdc),
  daily_outflow_gold: Limit(field.dailyOutflowGold),
  daily_mint: Limit(field.dailyMint),
  withdraw_owners: Type.Array(Type.String(), { ...field.withdrawOwners, maxItems: maxWithdrawOwners }),
  max_age_open: count(settingsBounds.maxAgeOpen, field.maxAgeOpen),
  max_age_closed: count(settingsBounds.maxAgeClosed, field.maxAgeClosed),
  recovery_delay: count(settingsBounds.recoveryDelay, field.recoveryDelay),
  change_delay: count(settingsBounds.changeDelay, field.changeDelay),
  burn_delay: count(settingsBounds.burnDelay, field.burnDelay),
  redemption_timeout: count(settingsBounds.redemptionTimeout, field.redemptionTimeout),
  opposite_side_seconds: count(settingsBounds.oppositeSideSeconds, field.oppositeSideSeconds),
  max_attestation_age: count(settingsBounds.maxAttestationAge, field.maxAttestationAge),
  max_confidence_bps: count(settingsBounds.maxConfBps, field.maxConfidenceBps),
  min_fee_bps: count(settingsBounds.minFeeBps, field.minFeeBps),
  max_fee_bps: count(settingsBounds.maxFeeBps, field.maxFeeBps),
  require_backing: Type.Boolean(field.requireBacking),
  freeze_enabled: Type.Boolean(field.freezeEnabled),
};

/** The settings of the program, complete. */
const SettingsView = titled('ProgramSettings', settings);
/** Those of a proposal: what is left out stays. */
export const SettingsChange = Type.Partial(Type.Object(settings), { additionalProperties: false });

const PendingView = titled('PendingSettings', {
  settings: SettingsView,
  proposed_at: Type.String(field.proposedAt),
  ready_at: Type.String(field.readyAt),
  expires_at: Type.String(field.expiresAt),
  cancellable_by: Type.Array(choice(['guardian', 'admin']), field.cancellableBy),
});

const state = {
  settings: SettingsView,
  pending: Nullable(PendingView, field.pending),
};
export const SettingsStateView = titled('ChainSettings', state);
export const ChangedSettingsView = titled('ChangedChainSettings', {
  ...state,
  tx_hash: Nullable(Type.String(), field.txHash),
});

export function toChangedSettingsView(changed: ChainSettings, txHash: string | null) {
  return { ...toSettingsStateView(changed), tx_hash: txHash };
}
