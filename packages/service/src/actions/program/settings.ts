import {
  findSettingsProposalPda,
  getApplySettingsInstructionAsync,
  getCancelSettingsInstructionAsync,
  getProposeSettingsInstructionAsync,
  getSettingsProposalDecoder,
  type Config as ProgramConfig,
  SETTINGS_PROPOSAL_KIND,
  type Settings,
} from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { actingRole, keyOf, payerOf } from '../../chain/build/prepare-transaction.js';
import { responseOf } from '../../chain/node/landing.js';
import { readNamed } from '../../chain/program/program-snapshot.js';
import { noKey } from '../../chain/program/wallet.js';
import { noLimit } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import type { AuditAction } from '../../domain/audit.js';
import { newUuid } from '../../domain/ids.js';
import { amountNumber, decimalNumber, formatDecimal } from '../../domain/money.js';
import { proposalLifeSeconds } from '../../domain/proposal.js';
import { momentOf } from '../../domain/timestamp.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import type { ChainPlan, Operation } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
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
  /** From then on nobody can. */
  expiresAt: Date;
  /** Who can cancel them: not the guardian where they replace it. */
  cancellableBy: ('guardian' | 'admin')[];
}

interface Terms {
  /** Pays in place of the key that signs, or of the operations key. */
  feePayer?: Address | undefined;
  /** For the audit log; at most 1,000 characters. */
  reason?: string | undefined;
}

const readWithinMs = 3_000;

/** Reads the settings and what is proposed from the node, as it is at `slot` or later. Throws `service_unavailable`. */
export async function readSettings(ctx: Context, slot = 0n): Promise<ChainSettings> {
  const { config, proposal } = await readProposal(ctx, slot);
  return stateOf(config, proposal);
}

/**
 * Plans to propose settings; what `changes` leaves out stays as it is. Nothing is sent where they change nothing. Throws
 * `invalid_request` for a guardian that is replaced together with anything else, `transition_not_allowed` while others are
 * proposed, `service_unavailable`. Carried out, it throws `broadcast_failed` for what the program does not accept.
 */
export async function planSettings(
  ctx: Context,
  { changes, ...terms }: Terms & { changes: Partial<Settings> },
): Promise<ChainPlan> {
  const { config, proposal } = await readProposal(ctx);
  const wanted = { ...config.settings, ...changes };
  const { pending } = stateOf(config, proposal);
  const { before, after } = differences(config.settings, wanted);
  const changed = Object.keys(after);
  if (changed.length > 1 && changed.includes('guardian')) {
    throw invalidField('guardian', 'guardian can only be replaced by a proposal that changes nothing else.');
  }
  if (changed.length > 0 && pending && ctx.clock.now() < pending.expiresAt.getTime()) {
    const until = pending.readyAt.toISOString();
    throw notAllowed(`Other settings are proposed and can be applied from ${until}: apply or cancel them first.`);
  }
  const admin = createNoopSigner(config.admin);
  const payer = terms.feePayer ?? payerOf(ctx.chain, config, ['admin']);
  return toPlan(ctx, config, terms, {
    action: 'settings.propose',
    kind: 'propose_settings',
    signedBy: ['admin'],
    before,
    after,
    payer,
    instructions: async (target) =>
      changed.length === 0
        ? []
        : [
            await getProposeSettingsInstructionAsync(
              {
                payer: createNoopSigner(payer),
                admin,
                expectedSettingsSeq: config.settingsSeq,
                settings: wanted,
              },
              target,
            ),
          ],
    unsent: stateOf(config, proposal),
  });
}

/**
 * Plans to apply the settings that are proposed, which takes nobody's key: the operations key, or `feePayer`, pays. Throws
 * `transition_not_allowed` when none are proposed or, carried out, it is too early or too late; `service_unavailable`.
 */
export async function planSettingsApply(ctx: Context, terms: Terms = {}): Promise<ChainPlan> {
  const { config, proposal, pending } = await readPending(ctx);
  return toPlan(ctx, config, terms, {
    action: 'settings.apply',
    kind: 'apply_settings',
    signedBy: [],
    ...differences(config.settings, proposal.settings),
    payer: terms.feePayer ?? payerOf(ctx.chain, config, []),
    instructions: async (target) => [
      await getApplySettingsInstructionAsync({ rentPayer: proposal.rentPayer }, target),
    ],
    explain: (name) => {
      const { readyAt, expiresAt } = pending;
      if (name === 'NotReady')
        return notAllowed(`The settings cannot be applied before ${readyAt.toISOString()}.`);
      if (name === 'ProposalExpired')
        return notAllowed(`The proposal expired at ${expiresAt.toISOString()}: propose the settings again.`);
      return undefined;
    },
  });
}

/**
 * Plans to cancel the settings that are proposed, by the guardian or the admin, whose key this process holds. Throws
 * `transition_not_allowed` when none are proposed; `service_unavailable`.
 */
export async function planSettingsCancellation(ctx: Context, terms: Terms = {}): Promise<ChainPlan> {
  const { config, proposal, pending } = await readPending(ctx);
  const role = actingRole(ctx.chain, config, pending.cancellableBy);
  return toPlan(ctx, config, terms, {
    action: 'settings.cancel',
    kind: 'cancel_settings',
    signedBy: [role],
    ...differences(config.settings, proposal.settings),
    payer: terms.feePayer,
    instructions: async (target) => [
      await getCancelSettingsInstructionAsync(
        { authority: createNoopSigner(keyOf(config, role)), rentPayer: proposal.rentPayer },
        target,
      ),
    ],
  });
}

/** What there is to do about settings, but for what all of it has in common. */
interface SettingsAct extends Pick<Operation, 'signedBy' | 'payer'> {
  action: Extract<AuditAction, `settings.${string}`>;
  kind: 'propose_settings' | 'apply_settings' | 'cancel_settings';
  /** What changes, as it is and as it shall be. */
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  instructions(target: { programAddress: Address }): Promise<Operation['instructions']>;
  /** What is returned where nothing has to be sent. */
  unsent?: ChainSettings;
  /** Returns the error to throw for one of the program. */
  explain?(programErrorName: string | undefined): AppError | undefined;
}

async function toPlan(
  ctx: Context,
  config: ProgramConfig,
  { reason }: Terms,
  act: SettingsAct,
): Promise<ChainPlan> {
  const { programAddress } = ctx.chain;
  const { action, before, after, signedBy, payer, unsent, explain } = act;
  const change = { action, objectType: 'chain', objectId: programAddress, before, after, reason };
  return {
    in: 'chain',
    action,
    objectType: 'chain',
    objectId: programAddress,
    request: after,
    before,
    objectHash: hashOf([config.settingsSeq.toString(), before]),
    // The program gives everybody time to object.
    takesTwo: false,
    build: async () => ({
      row: { id: newUuid(), kind: act.kind, redemptionId: null, partnerId: null, amount: null },
      signedBy,
      config,
      payer,
      instructions: await act.instructions({ programAddress }),
      change,
      recheck: async () => {},
      ...(unsent && { readUnsent: async () => ({ settings: unsent }) }),
      readResult: async (slot) => ({ settings: await readSettings(ctx, slot) }),
      ...(explain && {
        explain: async (error) =>
          error instanceof AppError ? explain(error.programErrorName) : undefined,
      }),
    }),
  };
}

/** The proposal's account, as far as it is needed. */
interface Proposal {
  settings: Settings;
  rentPayer: Address;
  /** Unix seconds. */
  readyAt: bigint;
}

async function readProposal(ctx: Context, slot = 0n) {
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

async function readPending(ctx: Context) {
  const { config, proposal } = await readProposal(ctx);
  const { pending } = stateOf(config, proposal);
  if (!proposal || !pending) throw notAllowed('No settings are proposed.');
  return { config, proposal, pending };
}

function stateOf({ settings }: ProgramConfig, proposal: Proposal | undefined): ChainSettings {
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

const priceDecimals = 8;
const priceOf = (price: bigint) => decimalNumber(formatDecimal(price, priceDecimals));

/** Returns a limit of the program as people read it, in tokens. */
export const limitView = (limit: bigint): number | 'none' => (limit === noLimit ? 'none' : amountNumber(limit));
