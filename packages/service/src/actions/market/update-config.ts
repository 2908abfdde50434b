import {
  getRotateAccountsInstructionAsync,
  getUpdateConfigInstructionAsync,
  type Config as ProgramConfig,
} from '@karat/program-client';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import { responseOf } from '../../chain/node/landing.js';
import { readConfig } from '../../chain/program/program-snapshot.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { type AdminAct, actAsAdmin } from '../approvals/act-as-admin.js';
import type { Change } from '../audit.js';

const readWithinMs = 3_000;

/**
 * Reads the program's configuration from the node, as it is at `slot` or later. Throws `service_unavailable` when the node
 * does not respond.
 */
export function readProgramConfig(ctx: Context, slot = 0n): Promise<ProgramConfig> {
  return responseOf(readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs), slot));
}

/** Accounts that are no settings: an instruction of their own changes them. */
export const rotatedAccounts = ['treasuryUsdc', 'treasuryGold', 'feeUsdc'] as const;

/**
 * Replaces the program's configuration `before` by `next`, as `actAsAdmin` does. The program refuses it when anything changed
 * since `before` was read.
 */
export async function updateConfig(
  ctx: Context,
  by: ChangedBy,
  { before, next, feePayer }: { before: ProgramConfig; next: ProgramConfig; feePayer?: Address | undefined },
  change: Pick<Change, 'action' | 'before' | 'after' | 'reason'>,
): Promise<AdminAct> {
  return actAsAdmin(ctx, by, {
    config: before,
    instructions: async () => [await toInstruction(ctx, before, next)],
    feePayer,
    change: { ...change, objectType: 'chain', objectId: ctx.chain.programAddress },
    look: 'the settings',
  });
}

async function toInstruction(
  { chain: { programAddress } }: Context,
  before: ProgramConfig,
  next: ProgramConfig,
): Promise<Instruction> {
  const signed = { admin: createNoopSigner(before.admin), expectedSeq: before.seq };
  return rotatedAccounts.some((name) => before[name] !== next[name])
    ? await getRotateAccountsInstructionAsync({ ...next, ...signed }, { programAddress })
    : await getUpdateConfigInstructionAsync({ ...next, ...signed }, { programAddress });
}
