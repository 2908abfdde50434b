import { type Holdings, readHoldings } from '../../chain/program/holdings.js';
import type { Context } from '../../context.js';
import { findUser } from '../../db/users.js';
import { asUserId } from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import type { Principal } from '../../domain/principal.js';
import type { WalletAddress } from '../../domain/solana.js';
import { AppError } from '../../errors.js';
import { takeNodeCalls } from '../limits/take-node-calls.js';

/**
 * Returns what the wallet of one of the caller's users holds. Throws `user_not_found`, `partner_mismatch`,
 * `rate_limited`, and `service_unavailable` when the node does not respond.
 */
export async function getUserHoldings(
  ctx: Context,
  principal: Principal,
  serviceUserId: string,
): Promise<{ walletAddress: WalletAddress; holdings: Holdings }> {
  const id = asUserId(serviceUserId);
  const found = id && (await findUser(ctx.db, id));
  if (!found) throw new AppError('user_not_found', 'There is no such user.');
  requireOwn(principal, found.user, 'user');
  const { walletAddress } = found.user;
  const config = ctx.chain.program.config();
  await takeNodeCalls(ctx, { caller: principal.partnerId, use: 'look', calls: 1 });
  const rpc = ctx.chain.callers.look;
  const holdings = await readHoldings({ rpc }, walletAddress, config);
  return { walletAddress, holdings };
}
