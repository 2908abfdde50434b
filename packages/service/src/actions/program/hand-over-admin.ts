import { getAcceptAdminInstructionAsync, getProposeAdminInstructionAsync } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { notAllowed } from '../../errors.js';
import { type AdminAct, actAsAdmin } from '../approvals/act-as-admin.js';
import { readProgramConfig } from '../market/update-config.js';

interface Terms {
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

/** Proposes the next admin, as `actAsAdmin` does; `noKey` withdraws the proposal. */
export async function proposeAdmin(
  ctx: Context,
  by: ChangedBy,
  { newAdmin, feePayer, reason }: Terms & { newAdmin: Address },
): Promise<AdminAct> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const input = { admin: createNoopSigner(config.admin), newAdmin };
  const before = { pending_admin: keyOrNull(config.pendingAdmin) };
  const after = { pending_admin: keyOrNull(newAdmin) };
  return actAsAdmin(ctx, by, {
    config,
    instructions: async () => [await getProposeAdminInstructionAsync(input, { programAddress })],
    feePayer,
    change: { action: 'admin.propose', ...chainObject(ctx), before, after, reason },
    look: 'the proposed admin',
  });
}

/**
 * Completes the hand-over by a transaction of the proposed admin, as `actAsAdmin` does with that key. Throws
 * `transition_not_allowed` when no new admin is proposed.
 */
export async function acceptAdmin(
  ctx: Context,
  by: ChangedBy,
  { feePayer, reason }: Terms,
): Promise<AdminAct> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const { pendingAdmin: admin } = config;
  if (admin === noKey) throw notAllowed('No new admin is proposed.');
  const input = { pendingAdmin: createNoopSigner(admin) };
  const [before, after] = [{ admin: config.admin }, { admin }];
  return actAsAdmin(ctx, by, {
    config: { ...config, admin },
    instructions: async () => [await getAcceptAdminInstructionAsync(input, { programAddress })],
    feePayer,
    change: { action: 'admin.accept', ...chainObject(ctx), before, after, reason },
    look: 'the admin',
  });
}

const chainObject = ({ chain }: Context) => ({ objectType: 'chain', objectId: chain.programAddress });

/** Returns who is the admin of the program and who is proposed, read from the chain. Throws `service_unavailable`. */
export async function readAdmins(ctx: Context): Promise<{ admin: Address; pendingAdmin: Address | null }> {
  const { admin, pendingAdmin } = await readProgramConfig(ctx);
  return { admin, pendingAdmin: keyOrNull(pendingAdmin) };
}

const keyOrNull = (key: Address) => (key === noKey ? null : key);
