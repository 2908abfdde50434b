import type { Config as ProgramConfig } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { tokenAccountOf } from '../chain/wallet.js';
import type { Context } from '../context.js';
import type { HouseRole } from '../db/house-movements.js';
import type { ChangedBy } from '../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { AppError } from '../errors.js';
import { sendAnnounced } from './send-announced.js';
import { readProgramConfig } from './update-config.js';

/** Base units; at least one of them. */
export interface Funding {
  usdc?: bigint | undefined;
  gold?: bigint | undefined;
  reason?: string | undefined;
}

/**
 * Transfers USDC and GOLD from the admin's own token accounts to the treasury, and returns the signature. The transaction
 * is announced in the database and the audit log before it is sent, so that reconciliation takes it for what it is. Throws
 * `broadcast_failed` with the chain's message, such as for too small a balance, and `service_unavailable` without the
 * admin's key and when the transfer is not confirmed in time.
 */
export async function fundTreasury(ctx: Context, by: ChangedBy, funding: Funding): Promise<string> {
  const { chain } = ctx;
  const { admin } = chain;
  if (!admin) throw new AppError('service_unavailable', 'This process does not hold the admin key.');
  const config = await readProgramConfig(ctx);
  const transfers = transfersOf(config, funding);
  const announced: { role: HouseRole; amount: bigint }[] = transfers.map(({ role, amount }) => ({
    role,
    amount,
  }));
  const instructions = await Promise.all(
    transfers.map(async ({ mint, destination, amount }) => {
      const source = await tokenAccountOf(admin.address, mint);
      // The admin may own the account of the fees: then the treasury is filled from it.
      if (source === config.feeUsdc) announced.push({ role: 'fee_usdc', amount: -amount });
      const authority = createNoopSigner(admin.address);
      return getTransferCheckedInstruction({
        source,
        mint,
        destination,
        authority,
        amount,
        decimals: tokenDecimals,
      });
    }),
  );
  const named = transfers.map(({ role, amount }) => [role, formatDecimal(amount, tokenDecimals)]);
  const after = { ...Object.fromEntries(named), from: admin.address };
  const { reason } = funding;
  return sendAnnounced(ctx, by, { admin, instructions, announced, action: 'treasury.fund', after, reason });
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
