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
import { invalidField, notAllowed } from '../../errors.js';
import type { ChainSteps, Operation, PlanFacts } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
import { differences, type PendingSettings, readProposal, readSettings, stateOf } from './settings.js';

interface Terms {
  /** Pays in place of the key that signs, or of the operations key. */
  feePayer?: Address | undefined;
  /** For the audit log; at most 1,000 characters. */
  reason?: string | undefined;
}

/** What there is to do about settings. */
export interface SettingsPlan extends PlanFacts {
  in: 'chain';
  action: `settings.${'propose' | 'apply' | 'cancel'}`;
  operation: Operation;
  /** What is proposed, where it is to be applied. */
  pending?: PendingSettings;
}

/**
 * Plans to propose settings; what `changes` leaves out stays as it is. Nothing is sent where they change nothing. Throws
 * `invalid_request` for a guardian that is replaced together with anything else, `transition_not_allowed` while others are
 * proposed, `service_unavailable`. Carried out, it throws `broadcast_failed` for what the program does not accept.
 */
export async function planSettings(
  ctx: Context,
  { changes, feePayer, reason }: Terms & { changes: Partial<Settings> },
): Promise<SettingsPlan> {
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
  const payer = feePayer ?? payerOf(ctx.chain, config, ['admin']);
  const input = {
    payer: createNoopSigner(payer),
    admin: createNoopSigner(config.admin),
    expectedSettingsSeq: config.settingsSeq,
    settings: wanted,
  };
  const { programAddress } = ctx.chain;
  const instruction = await getProposeSettingsInstructionAsync(input, { programAddress });
  return toPlan(ctx, config, 'propose', {
    signedBy: ['admin'],
    payer,
    instructions: changed.length === 0 ? [] : [instruction],
    change: { before, after, reason },
    unsent: { settings: stateOf(config, proposal) },
  });
}

/**
 * Plans to apply the settings that are proposed, which takes no key of a role: the operations key, or `feePayer`, pays. Throws
 * `transition_not_allowed` when none are proposed or, carried out, it is too early or too late; `service_unavailable`.
 */
export async function planSettingsApply(
  ctx: Context,
  { feePayer, reason }: Terms = {},
): Promise<SettingsPlan> {
  const { config, proposal, pending } = await readPending(ctx);
  const { rentPayer, settings } = proposal;
  const { programAddress } = ctx.chain;
  const plan = toPlan(ctx, config, 'apply', {
    signedBy: [],
    payer: feePayer ?? payerOf(ctx.chain, config, []),
    instructions: [await getApplySettingsInstructionAsync({ rentPayer }, { programAddress })],
    change: { ...differences(config.settings, settings), reason },
  });
  return { ...plan, pending };
}

/**
 * Plans to cancel the settings that are proposed, by the guardian or the admin, whose key this process holds. Throws
 * `transition_not_allowed` when none are proposed; `service_unavailable`.
 */
export async function planSettingsCancellation(
  ctx: Context,
  { feePayer, reason }: Terms = {},
): Promise<SettingsPlan> {
  const { config, proposal, pending } = await readPending(ctx);
  const { rentPayer, settings } = proposal;
  const role = actingRole(ctx.chain, config, pending.cancellableBy);
  const authority = createNoopSigner(keyOf(config, role));
  const { programAddress } = ctx.chain;
  return toPlan(ctx, config, 'cancel', {
    signedBy: [role],
    payer: feePayer,
    instructions: [await getCancelSettingsInstructionAsync({ authority, rentPayer }, { programAddress })],
    change: { ...differences(config.settings, settings), reason },
  });
}

function toPlan(
  { chain }: Context,
  config: ProgramConfig,
  act: 'propose' | 'apply' | 'cancel',
  operation: Omit<Operation, 'row' | 'config'> & { change: ReturnType<typeof differences> },
): SettingsPlan {
  const { before, after } = operation.change;
  const kind = `${act}_settings` as const;
  return {
    in: 'chain',
    action: `settings.${act}`,
    objectId: chain.programAddress,
    operation: {
      ...operation,
      row: { kind },
      config,
    },
    request: after,
    before,
    objectHash: hashOf([config.settingsSeq.toString(), before]),
    // The program gives everybody time to object.
    takesTwo: false,
  };
}

/** Proposes, applies or cancels settings. */
export const settings: ChainSteps<SettingsPlan> = {
  build: async (_ctx, { operation }) => operation,

  readResult: async (ctx, _plan, slot) => ({ settings: await readSettings(ctx, slot) }),

  async explain(_ctx, { pending }, { programErrorName }) {
    if (!pending) return undefined;
    const { readyAt, expiresAt } = pending;
    if (programErrorName === 'NotReady')
      return notAllowed(`The settings cannot be applied before ${readyAt.toISOString()}.`);
    if (programErrorName === 'ProposalExpired')
      return notAllowed(`The proposal expired at ${expiresAt.toISOString()}: propose the settings again.`);
    return undefined;
  },
};

async function readPending(ctx: Context) {
  const { config, proposal } = await readProposal(ctx);
  const { pending } = stateOf(config, proposal);
  if (!proposal || !pending) throw notAllowed('No settings are proposed.');
  return { config, proposal, pending };
}
