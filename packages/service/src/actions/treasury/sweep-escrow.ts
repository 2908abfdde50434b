import { getSweepEscrowInstructionAsync } from '@karat/program-client';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import { tokenAccountOf } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import { type AdminAct, actAsAdmin } from '../approvals/act-as-admin.js';
import { readProgramConfig } from '../market/update-config.js';

export interface Sweep {
  /** Base units of GOLD. */
  gold: bigint;
  /** The wallet whose GOLD account receives it; undefined: the treasury. */
  to?: Address | undefined;
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

/**
 * Moves GOLD out of escrow that no open redemption needs, to the treasury or to a wallet, whose account is made when it has
 * none, as `actAsAdmin` does.
 */
export async function sweepEscrow(
  ctx: Context,
  by: ChangedBy,
  { gold, to, feePayer, reason }: Sweep,
): Promise<AdminAct> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const { escrowGold, goldMint, treasuryGold } = config;
  const destination = to === undefined ? treasuryGold : await tokenAccountOf(to, goldMint);
  const admin = createNoopSigner(config.admin);
  return actAsAdmin(ctx, by, {
    config,
    instructions: async (payer) => [
      ...(to === undefined ? [] : [makeTokenAccount({ payer, owner: to, mint: goldMint, ata: destination })]),
      await getSweepEscrowInstructionAsync(
        { admin, escrowGold, goldMint, destination, amount: gold },
        { programAddress },
      ),
    ],
    feePayer,
    change: {
      action: 'treasury.sweep_escrow',
      objectType: 'treasury',
      objectId: programAddress,
      before: null,
      after: { gold: formatDecimal(gold, tokenDecimals), to: to ?? 'treasury' },
      reason,
    },
    look: 'escrow',
  });
}

/** Makes a wallet's token account where it has none. */
export function makeTokenAccount({
  payer,
  ...account
}: {
  payer: Address;
  owner: Address;
  mint: Address;
  ata: Address;
}): Instruction {
  return getCreateAssociatedTokenIdempotentInstruction({ payer: createNoopSigner(payer), ...account });
}
