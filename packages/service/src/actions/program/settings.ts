import {
  findSettingsProposalPda,
  getSettingsProposalDecoder,
  type Config as ProgramConfig,
  SETTINGS_PROPOSAL_KIND,
  type Settings,
} from '@karat/program-client';
import type { Address } from '@solana/kit';
import { responseOf } from '../../chain/node/landing.js';
import { readNamed } from '../../chain/program/program-snapshot.js';
import { noKey } from '../../chain/program/wallet.js';
import { noLimit } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import { amountNumber, decimalNumber, formatDecimal } from '../../domain/money.js';
import { proposalLifeSeconds } from '../../domain/proposal.js';
import { priceDecimals } from '../../domain/settings-bounds.js';
import { momentOf } from '../../domain/timestamp.js';
import { isSame } from '../audit.js';

/** What the program does by, and what it shall do by instead. */
export interface ChainSettings {
  settings: Settings;
  /** Null while nothing is proposed. */
  pending: PendingSettings | null;
}

/** Settings that the admin proposed: complete, not only what they change. */
export interface PendingSettings {
  settings: Settings;
  proposedAt: Date;
  /** From then on anyone can apply them. */
  readyAt: Date;
  /** From then on they can no longer be applied. */
  expiresAt: Date;
  /** Who can cancel them: not the guardian where they replace it. */
  cancellableBy: ('guardian' | 'admin')[];
}

const readWithinMs = 3_000;

/** Reads the settings and what is proposed from the node, as it is at `slot` or later. Throws `service_unavailable`. */
export async function readSettings(ctx: Context, slot = 0n): Promise<ChainSettings> {
  const { config, proposal } = await readProposal(ctx, slot);
  return stateOf(config, proposal);
}

/** The proposal's account, as far as it is needed. */
interface Proposal {
  settings: Settings;
  rentPayer: Address;
  /** Unix seconds. */
  readyAt: bigint;
}

/** Reads the configuration, and the proposal if there is one, at one slot. Throws `service_unavailable`. */
export async function readProposal(ctx: Context, slot = 0n) {
  const { chain } = ctx;
  const { programAddress } = chain;
  const [address] = await findSettingsProposalPda({ programAddress });
  const signal = AbortSignal.timeout(readWithinMs);
  const { config, accounts } = await responseOf(readNamed(chain, () => [address], signal, { minSlot: slot }));
  const [account] = accounts;
  const bytes = Buffer.from(account?.data[0] ?? '', 'base64');
  const exists = account?.owner === programAddress && bytes[0] === SETTINGS_PROPOSAL_KIND;
  return { config, proposal: exists ? getSettingsProposalDecoder().decode(bytes) : undefined };
}

/** Returns the settings and what is proposed. */
export function stateOf({ settings }: ProgramConfig, proposal: Proposal | undefined): ChainSettings {
  if (!proposal) return { settings, pending: null };
  const { readyAt, settings: proposed } = proposal;
  const pending: PendingSettings = {
    settings: proposed,
    // The delay is one of the settings, and there is one proposal at a time: it is still the one that counted then.
    proposedAt: momentOf(readyAt - BigInt(settings.changeDelay)),
    readyAt: momentOf(readyAt),
    expiresAt: momentOf(readyAt + proposalLifeSeconds),
    cancellableBy: proposed.guardian === settings.guardian ? ['guardian', 'admin'] : ['admin'],
  };
  return { settings, pending };
}

/** Returns what two settings differ in, as people read it. */
export function differences(
  present: Settings,
  wanted: Settings,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const [before, after] = [toSettingsView(present), toSettingsView(wanted)];
  const changed = (Object.keys(after) as (keyof SettingsView)[]).filter(
    (name) => !isSame({ value: before[name] }, { value: after[name] }),
  );
  return { before: pick(before, changed), after: pick(after, changed) };
}

type SettingsView = ReturnType<typeof toSettingsView>;

function pick(from: SettingsView, names: readonly (keyof SettingsView)[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

/** Returns settings as people read them: US dollars per ounce, USDC, GOLD, seconds and basis points; `none` for no limit. */
export function toSettingsView(settings: Settings) {
  return {
    guardian: settings.guardian,
    attestor: settings.attestor === noKey ? null : settings.attestor,
    price_account: settings.priceAccount,
    price_owner: settings.priceOwner,
    feed_id: Buffer.from(settings.feedId).toString('hex'),
    usdc_price_account: settings.usdcPriceAccount,
    usdc_feed_id: Buffer.from(settings.usdcFeedId).toString('hex'),
    min_price: priceOf(settings.minPriceE8),
    max_price: priceOf(settings.maxPriceE8),
    min_usdc_price: priceOf(settings.minUsdcPriceE8),
    max_trade_usdc: limitView(settings.maxTradeUsdc),
    daily_outflow_usdc: limitView(settings.dailyOutflowUsdc),
    daily_outflow_gold: limitView(settings.dailyOutflowGold),
    daily_mint: limitView(settings.dailyMint),
    withdraw_owners: settings.withdrawOwners.filter((owner) => owner !== noKey),
    max_age_open: settings.maxAgeOpen,
    max_age_closed: settings.maxAgeClosed,
    recovery_delay: settings.recoveryDelay,
    change_delay: settings.changeDelay,
    burn_delay: settings.burnDelay,
    redemption_timeout: settings.redemptionTimeout,
    opposite_side_seconds: settings.oppositeSideSeconds,
    max_attestation_age: settings.maxAttestationAge,
    max_confidence_bps: settings.maxConfBps,
    min_fee_bps: settings.minFeeBps,
    max_fee_bps: settings.maxFeeBps,
    require_backing: settings.requireBacking !== 0,
    freeze_enabled: settings.freezeEnabled !== 0,
  };
}

/** Returns the settings and what is proposed as people read them. */
export function toSettingsStateView({ settings, pending }: ChainSettings) {
  return {
    settings: toSettingsView(settings),
    pending: pending && {
      settings: toSettingsView(pending.settings),
      proposed_at: pending.proposedAt.toISOString(),
      ready_at: pending.readyAt.toISOString(),
      expires_at: pending.expiresAt.toISOString(),
      cancellable_by: pending.cancellableBy,
    },
  };
}

const priceOf = (price: bigint) => decimalNumber(formatDecimal(price, priceDecimals));

/** Returns a limit of the program as people read it, in tokens. */
export const limitView = (limit: bigint): number | 'none' =>
  limit === noLimit ? 'none' : amountNumber(limit);
