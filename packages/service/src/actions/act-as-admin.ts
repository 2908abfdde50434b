import type { Config as ProgramConfig } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { requireSuccess } from '../chain/admin-operations.js';
import { type LoneTransaction, prepareAlone, sendAndWait } from '../chain/admin-transactions.js';
import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { type Change, recordChange } from './audit.js';
import { programRead, unavailable } from './program-read.js';

const waitMs = 30_000;

/**
 * Sends an instruction of the admin, which signs and pays; it is left unsigned, and not sent, when this process does not
 * hold that key. It is in the audit log before it is sent, with `tx_hash`. Throws `broadcast_failed` with the program's
 * message, and `service_unavailable` for another admin key and when it is not confirmed in time: `look` then says what to
 * look at before it is repeated.
 */
export async function actAsAdmin(
  ctx: Context,
  by: ChangedBy,
  input: { config: ProgramConfig; instruction: Instruction; change: Change; look: string },
): Promise<LoneTransaction> {
  const { chain } = ctx;
  const { config, instruction, change, look } = input;
  const { admin } = chain;
  if (admin && admin.address !== config.admin) {
    throw unavailable("The admin key of this process is not the program's admin.");
  }
  const computeUnitPrice = BigInt(ctx.config.priorityFeeCapMicroLamports);
  const transaction = await programRead(
    prepareAlone(chain, config.admin, admin, [instruction], computeUnitPrice),
  );
  await requireSuccess(chain, transaction);
  const { txHash } = transaction;
  await ctx.db.transaction((tx) => {
    const after = { ...change.after, tx_hash: txHash ?? null };
    return recordChange(tx, by, { ...change, after }, new Date(ctx.clock.now()));
  });
  if (txHash === undefined) return transaction;
  const landing = await sendAndWait(chain, { ...transaction, txHash }, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return transaction;
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw new AppError('broadcast_failed', `The chain refused ${txHash}: ${landing.reason}`);
  }
  throw unavailable(`The transaction ${txHash} is not confirmed yet; look at ${look} before you repeat it.`);
}
