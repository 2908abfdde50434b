import {
  getAcceptAdminInstructionAsync,
  getCancelAdminInstructionAsync,
  getProposeAdminInstructionAsync,
  type Config as ProgramConfig,
} from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { actingRole, keyOf } from '../../chain/build/prepare-transaction.js';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { proposalLifeSeconds } from '../../domain/proposal.js';
import { momentOf } from '../../domain/timestamp.js';
import { AppError, notAllowed } from '../../errors.js';
import { actAsAdmin } from '../approvals/act-as-admin.js';
import type { Outcome } from '../approvals/plan.js';
import { readProgramConfig } from './read-program-config.js';

interface Terms {
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

/** Who is the admin of the program, and who shall be. */
export interface Admins {
  admin: Address;
  /** Null while no other is proposed. */
  pending: { admin: Address; readyAt: Date; expiresAt: Date } | null;
}

/** Proposes the next admin, as `actAsAdmin` does; the program gives the guardian `change_delay` to cancel it. */
export async function proposeAdmin(
  ctx: Context,
  by: ChangedBy,
  { newAdmin, feePayer, reason }: Terms & { newAdmin: Address },
): Promise<Outcome> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const input = { admin: createNoopSigner(config.admin), newAdmin };
  return actAsAdmin(ctx, by, {
    config,
    instructions: async () => [await getProposeAdminInstructionAsync(input, { programAddress })],
    feePayer,
    change: {
      action: 'admin.propose',
      objectId: programAddress,
      before: { pending_admin: keyOrNull(config.adminProposal.key) },
      after: { pending_admin: newAdmin },
      reason,
    },
    look: 'the proposed admin',
  });
}

/** Cancels what is proposed, by the guardian or the admin, as `actAsAdmin` does. Throws `transition_not_allowed` when nothing is. */
export async function cancelAdmin(
  ctx: Context,
  by: ChangedBy,
  { feePayer, reason }: Terms,
): Promise<Outcome> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const proposed = proposedAdmin(config);
  const role = actingRole(ctx.chain, config, ['guardian', 'admin']);
  const input = { authority: createNoopSigner(keyOf(config, role)) };
  return actAsAdmin(ctx, by, {
    config,
    role,
    instructions: async () => [await getCancelAdminInstructionAsync(input, { programAddress })],
    feePayer,
    change: {
      action: 'admin.cancel',
      objectId: programAddress,
      before: { pending_admin: proposed },
      after: { pending_admin: null },
      reason,
    },
    look: 'the proposed admin',
  });
}

/**
 * Completes the hand-over by a transaction of the proposed admin, as `actAsAdmin` does with that key. Throws
 * `transition_not_allowed` when no new admin is proposed, or it is too early or too late.
 */
export async function acceptAdmin(
  ctx: Context,
  by: ChangedBy,
  { feePayer, reason }: Terms,
): Promise<Outcome> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const admin = proposedAdmin(config);
  const input = { newAdmin: createNoopSigner(admin) };
  const { pending } = adminsOf(config);
  const early = `The hand-over cannot be completed before ${pending?.readyAt.toISOString()}.`;
  return actAsAdmin(ctx, by, {
    config: { ...config, admin },
    instructions: async () => [await getAcceptAdminInstructionAsync(input, { programAddress })],
    feePayer,
    change: {
      action: 'admin.accept',
      objectId: programAddress,
      before: { admin: config.admin },
      after: { admin },
      reason,
    },
    look: 'the admin',
  }).catch((error: unknown) => {
    const isEarly = error instanceof AppError && error.programErrorName === 'NotReady';
    throw isEarly ? notAllowed(early, { cause: error }) : error;
  });
}

/** Returns who is the admin of the program and who is proposed, read from the chain. Throws `service_unavailable`. */
export async function readAdmins(ctx: Context): Promise<Admins> {
  return adminsOf(await readProgramConfig(ctx));
}

function adminsOf({ admin, adminProposal: { key, readyAt } }: ProgramConfig): Admins {
  if (key === noKey) return { admin, pending: null };
  const times = { readyAt: momentOf(readyAt), expiresAt: momentOf(readyAt + proposalLifeSeconds) };
  return { admin, pending: { admin: key, ...times } };
}

function proposedAdmin({ adminProposal: { key } }: ProgramConfig): Address {
  if (key === noKey) throw notAllowed('No new admin is proposed.');
  return key;
}

const keyOrNull = (key: Address) => (key === noKey ? null : key);
