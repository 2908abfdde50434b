import type { Config as ProgramConfig } from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { ProgramSettings } from '../../chain/admin/seed.js';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import type { AdminAct } from '../approvals/act-as-admin.js';
import { isSame } from '../audit.js';
import { readProgramConfig, updateConfig } from '../market/update-config.js';

/** Settings of the program that can be changed after it was initialized, without its service signers. */
export type ChainSettings = ProgramSettings &
  Pick<ProgramConfig, 'guardian' | 'feeUsdc' | 'treasuryUsdc' | 'treasuryGold'>;

export interface ChainConfig {
  settings: ChainSettings;
  /** Undefined when nothing had to change. */
  change: AdminAct | undefined;
}

/** Returns the settings of the program, read from the chain. Throws `service_unavailable`. */
export async function readChainConfig(ctx: Context): Promise<ChainConfig> {
  return { settings: await readProgramConfig(ctx), change: undefined };
}

/**
 * Changes settings of the program by a transaction of the admin; what is not named stays as it is. The token
 * accounts of the treasury and the fees cannot be changed together with other settings. Throws `broadcast_failed` with
 * the program's message for settings that it does not accept or that changed meanwhile, and `service_unavailable`.
 */
export async function changeChainConfig(
  ctx: Context,
  by: ChangedBy,
  input: {
    changes: Partial<ChainSettings>;
    feePayer?: Address | undefined;
    reason?: string | undefined;
  },
): Promise<ChainConfig> {
  const config = await readProgramConfig(ctx);
  const next: ProgramConfig = { ...config, ...input.changes };
  const [before, after] = [toSettingsView(config), toSettingsView(next)];
  if (isSame(before, after)) return { settings: config, change: undefined };
  const change = { action: 'chain.config' as const, before, after, reason: input.reason };
  const { feePayer } = input;
  const made = await updateConfig(ctx, by, { before: config, next, feePayer }, change);
  return { settings: made.kind === 'done' ? next : config, change: made };
}

/** Returns settings as people read them: US dollars per ounce, USDC, seconds and basis points. */
export function toSettingsView(settings: ChainSettings) {
  return {
    guardian: settings.guardian,
    fee_account: settings.feeUsdc,
    treasury_usdc_account: settings.treasuryUsdc,
    treasury_gold_account: settings.treasuryGold,
    price_account: settings.priceAccount,
    price_owner: settings.priceOwner,
    feed_id: Buffer.from(settings.feedId).toString('hex'),
    min_price: formatDecimal(settings.minPriceE8, 8),
    max_price: formatDecimal(settings.maxPriceE8, 8),
    max_trade: formatDecimal(settings.maxTradeUsdc, tokenDecimals),
    max_age_open: settings.maxAgeOpen,
    max_age_closed: settings.maxAgeClosed,
    max_confidence_bps: settings.maxConfBps,
    max_fee_bps: settings.maxFeeBps,
    operations: keyOrNull(settings.operations),
    market: keyOrNull(settings.market),
    attestor: keyOrNull(settings.attestor),
    withdraw_owners: settings.withdrawOwners.filter((owner) => owner !== noKey),
    recovery_delay: settings.recoveryDelay,
    max_attestation_age: settings.maxAttestationAge,
    daily_outflow_usdc: formatDecimal(settings.dailyOutflowUsdc, tokenDecimals),
    daily_outflow_gold: formatDecimal(settings.dailyOutflowGold, tokenDecimals),
  };
}

const keyOrNull = (key: Address) => (key === noKey ? null : key);
