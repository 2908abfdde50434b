import type { Config as ProgramConfig } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { tokenAccountOf } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import { type AdminAct, actAsAdmin } from '../approvals/act-as-admin.js';
import { readProgramConfig } from '../market/update-config.js';

/** Base units; at least one of them. */
export interface Funding {
  usdc?: bigint | undefined;
  gold?: bigint | undefined;
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

/**
 * Transfers USDC and GOLD from the admin's own token accounts to the treasury, as `actAsAdmin` does. Reconciliation takes it
 * for what it is where this process signs it.
 */
export async function fundTreasury(ctx: Context, by: ChangedBy, funding: Funding): Promise<AdminAct> {
  const { feePayer, reason } = funding;
  const config = await readProgramConfig(ctx);
  const { admin } = config;
  const transfers = await Promise.all(
    transfersOf(config, funding).map(async (transfer) => ({
      ...transfer,
      source: await tokenAccountOf(admin, transfer.mint),
    })),
  );
  const named = transfers.map(({ role, amount }) => [role, formatDecimal(amount, tokenDecimals)]);
  return actAsAdmin(ctx, by, {
    config,
    instructions: async () =>
      transfers.map((transfer) =>
        getTransferCheckedInstruction({
          ...transfer,
          authority: createNoopSigner(admin),
          decimals: tokenDecimals,
        }),
      ),
    feePayer,
    change: {
      action: 'treasury.fund',
      objectType: 'treasury',
      objectId: ctx.chain.programAddress,
      before: null,
      after: { ...Object.fromEntries(named), from: admin },
      reason,
    },
    announced: transfers.map(({ role, amount }) => ({ role, amount })),
    look: 'the treasury',
  });
}

interface Transfer {
  role: 'treasury_usdc' | 'treasury_gold';
  mint: Address;
  destination: Address;
  amount: bigint;
}

function transfersOf(config: ProgramConfig, { usdc, gold }: Funding): Transfer[] {
  const transfers: Transfer[] = [];
  if (usdc !== undefined) {
    const [mint, destination] = [config.usdcMint, config.treasuryUsdc];
    transfers.push({ role: 'treasury_usdc', mint, destination, amount: usdc });
  }
  if (gold !== undefined) {
    const [mint, destination] = [config.goldMint, config.treasuryGold];
    transfers.push({ role: 'treasury_gold', mint, destination, amount: gold });
  }
  return transfers;
}
