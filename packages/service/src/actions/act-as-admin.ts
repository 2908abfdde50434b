import type { Config as ProgramConfig } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { requireSuccess } from '../chain/admin-operations.js';
import { sendAndWait } from '../chain/admin-transactions.js';
import {
  actingRole,
  type PreparedTransaction,
  payerOf,
  prepareTransaction,
} from '../chain/prepare-transaction.js';
import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { type Change, recordChange } from './audit.js';
import { programRead, unavailable } from './program-read.js';

const waitMs = 30_000;

/**
 * Sends an instruction of the admin, which signs; the operations key pays where there is one. Signatures are left out, and
 * nothing is sent, when this process does not hold the keys. The change is in the audit log before it is sent, with
 * `tx_hash`. Throws `broadcast_failed` with the program's message, and `service_unavailable` for another admin key and when
 * it is not confirmed in time: `look` then says what to look at before it is repeated.
 */
export async function actAsAdmin(
  ctx: Context,
  by: ChangedBy,
  input: { config: ProgramConfig; instruction: Instruction; change: Change; look: string },
): Promise<PreparedTransaction> {
  const { chain } = ctx;
  const { config, instruction, change, look } = input;
  actingRole(chain, config, ['admin']);
  const payer = payerOf(chain, config, ['admin']);
  const computeUnitPrice = BigInt(ctx.config.priorityFeeCapMicroLamports);
  const transaction = await programRead(
    prepareTransaction(chain, config, { instructions: [instruction], payer }, computeUnitPrice),
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
