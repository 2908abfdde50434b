import {
  getRotateAccountsInstructionAsync,
  getUpdateConfigInstructionAsync,
  type Config as ProgramConfig,
} from '@karat/program-client';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import { requireSuccess } from '../chain/admin-operations.js';
import { sendAndWait } from '../chain/admin-transactions.js';
import { readConfig } from '../chain/keeper-view.js';
import { actingRole, payerOf, prepareTransaction } from '../chain/prepare-transaction.js';
import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { type Change, recordChange } from './audit.js';
import type { Outcome } from './carry-out.js';
import { programRead, unavailable } from './program-read.js';

const readWithinMs = 3_000;
const waitMs = 30_000;

/** Reads the program's configuration from the node now. Throws `service_unavailable` when it does not respond. */
export function readProgramConfig(ctx: Context): Promise<ProgramConfig> {
  return programRead(readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs)));
}

/** What became of a change of the configuration. */
export type ConfigChange = Extract<Outcome, { kind: 'done' | 'unsigned' }>;

/**
 * Replaces the program's configuration `before` by `next`, by a transaction of the admin. The program refuses it when anything
 * changed since `before` was read. What is to be done is in the audit log before it is sent or handed out; without the admin's
 * key it is handed out unsigned. `feePayer` pays in place of the operations key. Throws `broadcast_failed` with the program's
 * message, and `service_unavailable` when it is not confirmed in time.
 */
export async function updateConfig(
  ctx: Context,
  by: ChangedBy,
  { before, next, feePayer }: { before: ProgramConfig; next: ProgramConfig; feePayer?: Address | undefined },
  change: Pick<Change, 'action' | 'before' | 'after' | 'reason'>,
): Promise<ConfigChange> {
  const { chain } = ctx;
  actingRole(chain, before, ['admin']);
  const payer = feePayer ?? payerOf(chain, before, ['admin']);
  const computeUnitPrice = BigInt(ctx.config.priorityFeeCapMicroLamports);
  const instructions = [await toInstruction(ctx, before, next)];
  const prepared = await programRead(
    prepareTransaction(chain, before, { instructions, payer }, computeUnitPrice),
  );
  const { txHash, transaction, missing, expiresAtMs } = prepared;
  if (txHash === undefined) await requireSuccess(chain, prepared);
  await ctx.db.transaction((tx) => {
    const object = { objectType: 'chain', objectId: chain.programAddress };
    const after = { ...change.after, tx_hash: txHash ?? null };
    return recordChange(tx, by, { ...change, ...object, after }, new Date(ctx.clock.now()));
  });
  if (txHash === undefined) {
    return { kind: 'unsigned', transaction, signers: missing, expiresAt: new Date(expiresAtMs) };
  }
  const landing = await sendAndWait(chain, { ...prepared, txHash }, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return { kind: 'done', txHash };
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw new AppError('broadcast_failed', `The chain refused ${txHash}: ${landing.reason}`);
  }
  throw unavailable(`The change ${txHash} is not confirmed yet; look at the settings before you repeat it.`);
}

/** The accounts of treasury and fees are no settings: another instruction changes them. */
async function toInstruction(
  { chain: { programAddress } }: Context,
  before: ProgramConfig,
  next: ProgramConfig,
): Promise<Instruction> {
  const signed = { admin: createNoopSigner(before.admin), expectedSeq: before.seq };
  const accounts = ['treasuryUsdc', 'treasuryGold', 'feeUsdc'] as const;
  return accounts.some((name) => before[name] !== next[name])
    ? await getRotateAccountsInstructionAsync({ ...next, ...signed }, { programAddress })
    : await getUpdateConfigInstructionAsync({ ...next, ...signed }, { programAddress });
}
