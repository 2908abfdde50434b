import { getUpdateConfigInstructionAsync, type Config as ProgramConfig } from '@karat/program-client';
import { createNoopSigner } from '@solana/kit';
import { sendAndWait, signAlone } from '../chain/admin-transactions.js';
import { readConfig } from '../chain/keeper-view.js';
import type { Signer } from '../chain/signer.js';
import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { type Change, recordChange } from './audit.js';
import { programRead, unavailable } from './program-read.js';

const readWithinMs = 3_000;
const waitMs = 30_000;

/** Reads the program's configuration from the node now. Throws `service_unavailable` when it does not respond. */
export function readProgramConfig(ctx: Context): Promise<ProgramConfig> {
  return programRead(readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs)));
}

/**
 * Replaces the program's configuration by `next`, by a transaction of the admin, and returns its signature. What is to be
 * done is in the audit log before it is sent. Throws `broadcast_failed` with the program's message, and
 * `service_unavailable` without the admin's key and when the change is not confirmed in time.
 */
export async function updateConfig(
  ctx: Context,
  by: ChangedBy,
  next: ProgramConfig,
  change: Pick<Change, 'action' | 'before' | 'after' | 'reason'>,
): Promise<string> {
  const { chain } = ctx;
  const admin = adminOf(ctx, next);
  const instruction = await getUpdateConfigInstructionAsync(
    { ...next, admin: createNoopSigner(admin.address) },
    { programAddress: chain.programAddress },
  );
  const computeUnitPrice = BigInt(ctx.config.priorityFeeCapMicroLamports);
  const signed = await programRead(signAlone(chain, admin, [instruction], computeUnitPrice));
  const { txHash } = signed;
  await ctx.db.transaction((tx) => {
    const object = { objectType: 'chain', objectId: chain.programAddress };
    const after = { ...change.after, tx_hash: txHash };
    return recordChange(tx, by, { ...change, ...object, after }, new Date(ctx.clock.now()));
  });
  const landing = await sendAndWait(chain, signed, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return txHash;
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw new AppError('broadcast_failed', `The chain refused ${txHash}: ${landing.reason}`);
  }
  throw unavailable(`The change ${txHash} is not confirmed yet; look at the settings before you repeat it.`);
}

function adminOf({ chain: { admin } }: Context, config: ProgramConfig): Signer {
  if (admin?.address === config.admin) return admin;
  throw unavailable(
    admin
      ? "The admin key of this process is not the program's admin."
      : 'This process does not hold the admin key.',
  );
}
