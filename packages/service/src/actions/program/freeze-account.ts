import { createHash } from 'node:crypto';
import { getFreezeAccountInstructionAsync, getThawAccountInstructionAsync } from '@karat/program-client';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { Signer } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { AppError, notAllowed } from '../../errors.js';
import { actAsAdmin } from '../approvals/act-as-admin.js';
import type { Outcome } from '../approvals/plan.js';
import { readProgramConfig } from './read-program-config.js';

export interface AccountFreeze {
  /** The token account of GOLD. */
  account: Address;
  /** The wallet that owns it. */
  owner: Address;
  /** For the audit log; at most 1,000 characters. The chain keeps its SHA-256. */
  reason: string;
  /** The compliance key; undefined: the transaction is left for it to sign. */
  key?: Signer | undefined;
  /** Pays in place of the compliance key. */
  feePayer?: Address | undefined;
}

/**
 * Freezes a token account of GOLD by the compliance key, as `actAsAdmin` does with that key. Throws `transition_not_allowed`
 * while the settings do not allow it or the program has no such key, `forbidden` for the key of somebody else.
 */
export async function freezeAccount(ctx: Context, by: ChangedBy, freeze: AccountFreeze): Promise<Outcome> {
  const config = await readProgramConfig(ctx);
  const { compliance } = config.hotKeys;
  if (config.settings.freezeEnabled === 0) {
    throw notAllowed('The settings of the program do not allow accounts to be frozen.');
  }
  if (compliance === noKey) throw notAllowed('The program has no compliance key.');
  requireKey(freeze.key, compliance);
  const { account, owner, reason } = freeze;
  const { goldMint, treasuryAuthority } = config;
  const { programAddress } = ctx.chain;
  const instruction = await getFreezeAccountInstructionAsync(
    {
      compliance: createNoopSigner(compliance),
      account,
      owner,
      goldMint,
      treasuryAuthority,
      reasonHash: createHash('sha256').update(reason, 'utf8').digest(),
    },
    { programAddress },
  );
  return act(ctx, by, freeze, { config, signer: compliance, instruction, action: 'account.freeze' });
}

export type AccountThaw = Omit<AccountFreeze, 'owner'> & {
  /** The admin, who needs no compliance key to be there, instead of the compliance key. */
  asAdmin?: boolean | undefined;
};

/** Thaws a frozen token account, by the compliance key or the admin, as `freezeAccount` freezes it. */
export async function thawAccount(ctx: Context, by: ChangedBy, thaw: AccountThaw): Promise<Outcome> {
  const config = await readProgramConfig(ctx);
  const { admin, goldMint, treasuryAuthority } = config;
  const signer = thaw.asAdmin ? admin : config.hotKeys.compliance;
  if (signer === noKey) throw notAllowed('The program has no compliance key: the admin can thaw accounts.');
  requireKey(thaw.key, signer);
  const { account } = thaw;
  const { programAddress } = ctx.chain;
  const instruction = await getThawAccountInstructionAsync(
    { authority: createNoopSigner(signer), account, goldMint, treasuryAuthority },
    { programAddress },
  );
  return act(ctx, by, thaw, { config, signer, instruction, action: 'account.thaw' });
}

function requireKey(key: Signer | undefined, signer: Address): void {
  if (!key || key.address === signer) return;
  throw new AppError('forbidden', `Only ${signer} can do this, not ${key.address}.`);
}

function act(
  ctx: Context,
  by: ChangedBy,
  { account, reason, key, feePayer }: Omit<AccountFreeze, 'owner'>,
  task: {
    config: Awaited<ReturnType<typeof readProgramConfig>>;
    signer: Address;
    instruction: Instruction;
    action: 'account.freeze' | 'account.thaw';
  },
): Promise<Outcome> {
  const { config, signer, instruction, action } = task;
  return actAsAdmin(ctx, by, {
    config,
    keys: key ? [key] : [],
    instructions: async () => [instruction],
    feePayer: feePayer ?? signer,
    change: { action, objectId: account, after: { account }, reason },
    look: 'the account',
  });
}
