import { getRotateAccountsInstructionAsync, type Config as ProgramConfig } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { actAsAdmin } from '../approvals/act-as-admin.js';
import type { Outcome } from '../approvals/plan.js';
import { readProgramConfig } from './read-program-config.js';

/** The token accounts of the program that the admin can replace. */
export type RotatedAccounts = Pick<ProgramConfig, 'treasuryUsdc' | 'treasuryGold' | 'feeUsdc'>;

/** Reads the token accounts of the program. Throws `service_unavailable`. */
export async function readAccounts(ctx: Context): Promise<RotatedAccounts> {
  return accountsOf(await readProgramConfig(ctx));
}

/**
 * Replaces token accounts of the treasury and of the fees, as `actAsAdmin` does; what is not named stays. Returns undefined when
 * nothing had to change.
 */
export async function rotateAccounts(
  ctx: Context,
  by: ChangedBy,
  {
    accounts,
    feePayer,
    reason,
  }: {
    accounts: Partial<RotatedAccounts>;
    feePayer?: Address | undefined;
    reason?: string | undefined;
  },
): Promise<Outcome | undefined> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const present = accountsOf(config);
  const next = { ...present, ...accounts };
  if (Object.entries(next).every(([name, account]) => present[name as keyof RotatedAccounts] === account)) {
    return undefined;
  }
  const input = {
    admin: createNoopSigner(config.admin),
    expectedSettingsSeq: config.settingsSeq,
    ...next,
  };
  return actAsAdmin(ctx, by, {
    config,
    instructions: async () => [await getRotateAccountsInstructionAsync(input, { programAddress })],
    feePayer,
    change: {
      action: 'chain.accounts',
      objectId: programAddress,
      before: toAccountsView(present),
      after: toAccountsView(next),
      reason,
    },
    look: 'the accounts of the program',
  });
}

function accountsOf({ treasuryUsdc, treasuryGold, feeUsdc }: ProgramConfig): RotatedAccounts {
  return { treasuryUsdc, treasuryGold, feeUsdc };
}

export function toAccountsView({ treasuryUsdc, treasuryGold, feeUsdc }: RotatedAccounts) {
  return {
    treasury_usdc_account: treasuryUsdc,
    treasury_gold_account: treasuryGold,
    fee_account: feeUsdc,
  };
}
