import { getTreasuryWithdrawInstructionAsync } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { tokenAccountOf } from '../chain/wallet.js';
import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { type AdminAct, actAsAdmin } from './act-as-admin.js';
import { makeTokenAccount } from './sweep-escrow.js';
import { readProgramConfig } from './update-config.js';

export interface Withdrawal {
  token: 'usdc' | 'gold';
  /** Base units. */
  amount: bigint;
  /** Who owns the account that receives it: the program takes those alone that its configuration names. */
  to: Address;
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

/** Moves inventory out of the treasury, as `actAsAdmin` does; the receiver's account is made when it has none. */
export async function withdrawTreasury(
  ctx: Context,
  by: ChangedBy,
  { token, amount, to, feePayer, reason }: Withdrawal,
): Promise<AdminAct> {
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const [mint, treasuryToken] =
    token === 'usdc' ? [config.usdcMint, config.treasuryUsdc] : [config.goldMint, config.treasuryGold];
  const destination = await tokenAccountOf(to, mint);
  const admin = createNoopSigner(config.admin);
  return actAsAdmin(ctx, by, {
    config,
    instructions: async (payer) => [
      makeTokenAccount({ payer, owner: to, mint, ata: destination }),
      await getTreasuryWithdrawInstructionAsync(
        { admin, treasuryToken, destination, mint, amount },
        { programAddress },
      ),
    ],
    feePayer,
    change: {
      action: 'treasury.withdraw',
      objectType: 'treasury',
      objectId: programAddress,
      before: null,
      after: { [token]: formatDecimal(amount, tokenDecimals), to },
      reason,
    },
    announced: [{ role: `treasury_${token}`, amount: -amount }],
    look: 'the treasury',
  });
}
