import {
  findConfigPda,
  getSweepEscrowInstructionAsync,
  getTreasuryWithdrawInstruction,
} from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { createTokenAccount, goldOf, tokenAccountOf, usdcOf } from '../../chain/program/token-accounts.js';
import type { Context } from '../../context.js';
import type { AuditAction, ChangedBy } from '../../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import { type AdminTask, actAsAdmin } from '../approvals/act-as-admin.js';
import type { Outcome } from '../approvals/plan.js';
import { readProgramConfig } from '../program/read-program-config.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';

interface Terms {
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

/** Base units; at least one of them. */
export interface Funding extends Terms {
  usdc?: bigint | undefined;
  gold?: bigint | undefined;
}

/**
 * Transfers USDC and GOLD from the admin's own token accounts to the treasury, as `actAsAdmin` does. Reconciliation takes it
 * for what it is where this process signs for its payer, and that very transaction lands.
 */
export async function fundTreasury(ctx: Context, by: ChangedBy, funding: Funding): Promise<Outcome> {
  const config = await readProgramConfig(ctx);
  const { admin, treasuryUsdc, treasuryGold } = config;
  const { usdc = 0n, gold = 0n } = funding;
  const transfers = [
    { role: 'treasury_usdc', token: usdcOf(config), destination: treasuryUsdc, amount: usdc } as const,
    { role: 'treasury_gold', token: goldOf(config), destination: treasuryGold, amount: gold } as const,
  ].filter(({ amount }) => amount > 0n);
  const named = transfers.map(({ role, amount }) => [role, shown(amount)]);
  const transfer = async ({ token, destination, amount }: (typeof transfers)[number]) =>
    getTransferCheckedInstruction(
      {
        source: tokenAccountOf(admin, token),
        mint: token.mint,
        destination,
        authority: createNoopSigner(admin),
        amount,
        decimals: tokenDecimals,
      },
      { programAddress: token.program },
    );
  return move(ctx, by, funding, {
    config,
    action: 'treasury.fund',
    after: { ...Object.fromEntries(named), from: admin },
    instructions: () => Promise.all(transfers.map(transfer)),
    announced: transfers.map(({ role, amount }) => ({ role, amount })),
    look: 'the treasury',
  });
}

export interface Sweep extends Terms {
  /** Base units of GOLD. */
  gold: bigint;
}

/** Moves GOLD out of escrow that no open redemption needs, to the treasury, as `actAsAdmin` does. */
export async function sweepEscrow(ctx: Context, by: ChangedBy, sweep: Sweep): Promise<Outcome> {
  const { gold: amount } = sweep;
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const { escrowGold, goldMint, treasuryGold } = config;
  const accounts = { admin: createNoopSigner(config.admin), escrowGold, goldMint, treasuryGold, amount };
  return move(ctx, by, sweep, {
    config,
    action: 'treasury.sweep_escrow',
    after: { gold: shown(amount), to: 'treasury' },
    instructions: async () => [await getSweepEscrowInstructionAsync(accounts, { programAddress })],
    look: 'escrow',
  });
}

/** What the admin can take out: USDC and GOLD of the treasury, and the USDC of collected fees. */
export type Inventory = 'usdc' | 'gold' | 'fees';

export interface Withdrawal extends Terms {
  from: Inventory;
  /** Base units. */
  amount: bigint;
  /** Who owns the account that receives it: the program takes those alone that its configuration names. */
  to: Address;
}

/**
 * Moves inventory out of the treasury, or collected fees, as `actAsAdmin` does; the receiver's account is made when it has
 * none. Throws `wallet_not_allowed` for a receiver on the sanctions list, where one is configured.
 */
export async function withdrawTreasury(
  ctx: Context,
  by: ChangedBy,
  withdrawal: Withdrawal,
): Promise<Outcome> {
  const { from, amount, to } = withdrawal;
  const { programAddress } = ctx.chain;
  const config = await readProgramConfig(ctx);
  const [configAddress] = await findConfigPda({ programAddress });
  const { treasuryAuthority, treasuryUsdc, treasuryGold, feeUsdc } = config;
  await requireAllowedWallets(ctx, { wallets: [to], stage: 'order', partnerId: null });
  const { token, ...source } = {
    usdc: { token: usdcOf(config), treasuryAuthority, treasuryToken: treasuryUsdc },
    gold: { token: goldOf(config), treasuryAuthority, treasuryToken: treasuryGold },
    fees: { token: usdcOf(config), treasuryAuthority: configAddress, treasuryToken: feeUsdc },
  }[from];
  const accounts = {
    config: configAddress,
    admin: createNoopSigner(config.admin),
    ...source,
    destination: tokenAccountOf(to, token),
    mint: token.mint,
    tokenProgram: token.program,
    amount,
  };
  return move(ctx, by, withdrawal, {
    config,
    action: 'treasury.withdraw',
    after: { [from]: shown(amount), to },
    instructions: async (payer) => [
      createTokenAccount(createNoopSigner(payer), to, token),
      getTreasuryWithdrawInstruction(accounts, { programAddress }),
    ],
    look: 'the treasury',
  });
}

function move(
  ctx: Context,
  by: ChangedBy,
  { feePayer, reason }: Terms,
  task: Omit<AdminTask, 'change' | 'feePayer'> & { action: AuditAction; after: Record<string, unknown> },
): Promise<Outcome> {
  const { action, after, ...rest } = task;
  const objectId = ctx.chain.programAddress;
  return actAsAdmin(ctx, by, { ...rest, feePayer, change: { action, objectId, after, reason } });
}

const shown = (amount: bigint) => formatDecimal(amount, tokenDecimals);
