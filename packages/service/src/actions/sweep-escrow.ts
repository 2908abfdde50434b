import { getSweepEscrowInstructionAsync } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import { tokenAccountOf } from '../chain/wallet.js';
import type { Context } from '../context.js';
import type { HouseRole } from '../db/house-movements.js';
import type { ChangedBy } from '../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { AppError } from '../errors.js';
import { sendAnnounced } from './send-announced.js';
import { readProgramConfig } from './update-config.js';

export interface Sweep {
  /** Base units of GOLD. */
  gold: bigint;
  /** The wallet whose GOLD account receives it; undefined: the treasury. */
  to?: Address | undefined;
  reason?: string | undefined;
}

/**
 * Moves GOLD out of escrow that no open redemption needs, to the treasury or to a wallet, whose account is made when it has
 * none, and returns the signature. Throws `broadcast_failed` with the chain's message, such as for more than the surplus, and
 * `service_unavailable` without the admin's key and when the transaction is not confirmed in time.
 */
export async function sweepEscrow(ctx: Context, by: ChangedBy, { gold, to, reason }: Sweep): Promise<string> {
  const { admin, programAddress } = ctx.chain;
  if (!admin) throw new AppError('service_unavailable', 'This process does not hold the admin key.');
  const { escrowGold, goldMint, treasuryGold } = await readProgramConfig(ctx);
  const payer = createNoopSigner(admin.address);
  const destination = to === undefined ? treasuryGold : await tokenAccountOf(to, goldMint);
  const account = { payer, ata: destination, owner: to ?? programAddress, mint: goldMint };
  const announced: { role: HouseRole; amount: bigint }[] = [{ role: 'escrow_gold', amount: -gold }];
  if (to === undefined) announced.push({ role: 'treasury_gold', amount: gold });
  return sendAnnounced(ctx, by, {
    admin,
    instructions: [
      ...(to === undefined ? [] : [getCreateAssociatedTokenIdempotentInstruction(account)]),
      await getSweepEscrowInstructionAsync(
        { admin: payer, escrowGold, goldMint, destination, amount: gold },
        { programAddress },
      ),
    ],
    announced,
    action: 'treasury.sweep_escrow',
    after: { gold: formatDecimal(gold, tokenDecimals), to: to ?? 'treasury' },
    reason,
  });
}
