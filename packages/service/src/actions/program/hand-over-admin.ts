import { getAcceptAdminInstructionAsync, getProposeAdminInstructionAsync } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { AppError } from '../../errors.js';
import { type AdminAct, actAsAdmin } from '../approvals/act-as-admin.js';
import { readProgramConfig } from '../market/update-config.js';

/** Proposes the next admin, as `actAsAdmin` does; `noKey` withdraws the proposal. */
export async function proposeAdmin(
  ctx: Context,
  by: ChangedBy,
  {
    newAdmin,
    feePayer,
    reason,
  }: { newAdmin: Address; feePayer?: Address | undefined; reason?: string | undefined },
): Promise<AdminAct> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const admin = createNoopSigner(config.admin);
  return actAsAdmin(ctx, by, {
    config,
    instructions: async () => [
      await getProposeAdminInstructionAsync({ admin, newAdmin }, { programAddress }),
    ],
    feePayer,
    change: {
      action: 'admin.propose',
      objectType: 'chain',
      objectId: programAddress,
      before: { pending_admin: keyOrNull(config.pendingAdmin) },
      after: { pending_admin: keyOrNull(newAdmin) },
      reason,
    },
    look: 'the proposed admin',
  });
}

/**
 * Completes the hand-over by a transaction of the proposed admin, as `actAsAdmin` does with that key. Throws
 * `transition_not_allowed` when nobody is proposed.
 */
export async function acceptAdmin(
  ctx: Context,
  by: ChangedBy,
  { feePayer, reason }: { feePayer?: Address | undefined; reason?: string | undefined },
): Promise<AdminAct> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const { admin: before, pendingAdmin } = config;
  if (pendingAdmin === noKey)
    throw new AppError('transition_not_allowed', 'Nobody is proposed as the admin.');
  return actAsAdmin(ctx, by, {
    config: { ...config, admin: pendingAdmin },
    instructions: async () => [
      await getAcceptAdminInstructionAsync(
        { pendingAdmin: createNoopSigner(pendingAdmin) },
        { programAddress },
      ),
    ],
    feePayer,
    change: {
      action: 'admin.accept',
      objectType: 'chain',
      objectId: programAddress,
      before: { admin: before },
      after: { admin: pendingAdmin },
      reason,
    },
    look: 'the admin',
  });
}

/** Returns who is the admin of the program and who is proposed, read from the chain. Throws `service_unavailable`. */
export async function readAdmins(ctx: Context): Promise<{ admin: Address; pendingAdmin: Address | null }> {
  const { admin, pendingAdmin } = await readProgramConfig(ctx);
  return { admin, pendingAdmin: keyOrNull(pendingAdmin) };
}

const keyOrNull = (key: Address) => (key === noKey ? null : key);
