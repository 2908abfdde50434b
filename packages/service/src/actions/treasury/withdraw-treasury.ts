import {
  findConfigPda,
  getTreasuryWithdrawInstruction,
  type Config as ProgramConfig,
} from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { tokenAccountOf } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import { type AdminAct, actAsAdmin } from '../approvals/act-as-admin.js';
import { readProgramConfig } from '../market/update-config.js';
import { makeTokenAccount } from './sweep-escrow.js';

/** What the admin can take out: USDC and GOLD of the treasury, and the USDC of collected fees. */
export type Inventory = 'usdc' | 'gold' | 'fees';

export interface Withdrawal {
  from: Inventory;
  /** Base units. */
  amount: bigint;
  /** Who owns the account that receives it: the program takes those alone that its configuration names. */
  to: Address;
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

/** Moves inventory out of the treasury, or collected fees, as `actAsAdmin` does; the receiver's account is made when it has none. */
export async function withdrawTreasury(
  ctx: Context,
  by: ChangedBy,
  { from, amount, to, feePayer, reason }: Withdrawal,
): Promise<AdminAct> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const [configAddress] = await findConfigPda({ programAddress });
  const { mint, ...source } = sourcesOf(config, configAddress)[from];
  const destination = await tokenAccountOf(to, mint);
  const admin = createNoopSigner(config.admin);
  return actAsAdmin(ctx, by, {
    config,
    instructions: async (payer) => [
      makeTokenAccount({ payer, owner: to, mint, ata: destination }),
      getTreasuryWithdrawInstruction(
        { config: configAddress, admin, ...source, destination, mint, amount },
        { programAddress },
      ),
    ],
    feePayer,
    change: {
      action: 'treasury.withdraw',
      objectType: 'treasury',
      objectId: programAddress,
      before: null,
      after: { [from]: formatDecimal(amount, tokenDecimals), to },
      reason,
    },
    look: 'the treasury',
  });
}

interface Source {
  mint: Address;
  treasuryAuthority: Address;
  treasuryToken: Address;
}

function sourcesOf(config: ProgramConfig, configAddress: Address): Record<Inventory, Source> {
  const { usdcMint, goldMint, treasuryAuthority, treasuryUsdc, treasuryGold, feeUsdc } = config;
  return {
    usdc: { mint: usdcMint, treasuryAuthority, treasuryToken: treasuryUsdc },
    gold: { mint: goldMint, treasuryAuthority, treasuryToken: treasuryGold },
    fees: { mint: usdcMint, treasuryAuthority: configAddress, treasuryToken: feeUsdc },
  };
}
