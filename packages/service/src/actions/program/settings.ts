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
import { type ChainValues, type SettingsView, type SettingValues, settingsTable } from './settings-table.js';

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

function pick(from: SettingsView, names: readonly (keyof SettingsView)[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

const views: { [Kind in keyof SettingValues]: (value: ChainValues[Kind]) => SettingValues[Kind] } = {
  address: (address) => address,
  wallet: (address) => address,
  role: (address) => (address === noKey ? null : address),
  feed: (id) => Buffer.from(id).toString('hex'),
  price: priceOf,
  usdcPrice: priceOf,
  limit: limitView,
  owners: (owners) => owners.filter((owner) => owner !== noKey),
  count: (number) => number,
  flag: (flag) => flag !== 0,
};

/** Returns settings as people read them: US dollars per ounce, USDC, GOLD, seconds and basis points; `none` for no limit. */
export function toSettingsView(settings: Settings): SettingsView {
  const entries = settingsTable.map(([name, setting, kind]) => [
    name,
    views[kind](settings[setting] as never),
  ]);
  return Object.fromEntries(entries) as SettingsView;
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

function priceOf(price: bigint): number {
  return decimalNumber(formatDecimal(price, priceDecimals));
}

/** Returns a limit of the program as people read it, in tokens. */
export function limitView(limit: bigint): number | 'none' {
  return limit === noLimit ? 'none' : amountNumber(limit);
}
