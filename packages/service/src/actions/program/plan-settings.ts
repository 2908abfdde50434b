import {
  getApplySettingsInstructionAsync,
  getCancelSettingsInstructionAsync,
  getProposeSettingsInstructionAsync,
  type Config as ProgramConfig,
  type Settings,
} from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { actingRole, keyOf, payerOf } from '../../chain/build/prepare-transaction.js';
import type { Context } from '../../context.js';
import type { AuditAction } from '../../domain/audit.js';
import { newUuid } from '../../domain/ids.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import type { ChainPlan, Operation } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
import { type ChainSettings, differences, readProposal, readSettings, stateOf } from './settings.js';

interface Terms {
  /** Pays in place of the key that signs, or of the operations key. */
  feePayer?: Address | undefined;
  /** For the audit log; at most 1,000 characters. */
  reason?: string | undefined;
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
    throw notAllowed(
      `Other settings are proposed and can be applied from ${until}: apply or cancel them first.`,
    );
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
 * Plans to apply the settings that are proposed, which takes no key of a role: the operations key, or `feePayer`, pays. Throws
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
  const change = { action, objectId: programAddress, before, after, reason };
  return {
    in: 'chain',
    action,
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
        explain: async (error) => (error instanceof AppError ? explain(error.programErrorName) : undefined),
      }),
    }),
  };
}

async function readPending(ctx: Context) {
  const { config, proposal } = await readProposal(ctx);
  const { pending } = stateOf(config, proposal);
  if (!proposal || !pending) throw notAllowed('No settings are proposed.');
  return { config, proposal, pending };
}
