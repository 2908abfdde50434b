import type { Context } from '../../context.js';
import { findTrader, type Trader } from '../../db/trades/traders.js';
import { asUserId, type UserId } from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import type { Principal } from '../../domain/principal.js';
import type { WalletAddress } from '../../domain/solana.js';
import { AppError } from '../../errors.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';
import { isOwnWallet } from '../treasury/own-wallets.js';

/** A principal, and the user whom the request names where that user was looked up together with the key. */
export type Caller = Principal & { named?: { id: UserId; trader: Trader | undefined } };

/** Returns the user with that id as a party of trades: the one found together with the key, else by a query. */
export async function findNamedTrader(
  ctx: Context,
  { named }: Caller,
  id: UserId,
): Promise<Trader | undefined> {
  return named?.id === id ? named.trader : findTrader(ctx.db, id);
}

/**
 * Returns the user whom a request for a quote names, in a state that allows one. Throws, in this order:
 * `user_not_found`, `partner_mismatch`, `kyc_level_insufficient`, `user_suspended`, `wallet_not_allowed`.
 */
export async function getNamedTrader(ctx: Context, caller: Caller, serviceUserId: string): Promise<Trader> {
  const id = asUserId(serviceUserId);
  const trader = id && (await findNamedTrader(ctx, caller, id));
  if (!trader) throw new AppError('user_not_found', `There is no user ${serviceUserId.slice(0, 64)}.`);
  requireOwn(caller, trader, 'user');
  const bar = barOf(ctx, trader);
  if (bar) throw bar;
  const { partnerId } = trader;
  await requireAllowedWallets(ctx, { wallets: walletsOf(trader), stage: 'quote', partnerId });
  return trader;
}

/** Returns the wallets that sign a user's trades, or may. */
export function walletsOf({ walletAddress, partnerWallets }: Trader): WalletAddress[] {
  return [walletAddress, ...partnerWallets];
}

/**
 * Returns why nothing is quoted or sent for a user: `kyc_level_insufficient`, `user_suspended`; undefined when nothing
 * is wrong.
 */
export function barOf(ctx: Context, trader: Trader): AppError | undefined {
  if (trader.kycLevel !== 'full') {
    return new AppError('kyc_level_insufficient', "The user's kyc_level is not full.");
  }
  if (trader.status !== 'active') return new AppError('user_suspended', 'This user is suspended.');
  // It may have become one after the user was registered.
  if (isOwnWallet(ctx, trader.walletAddress)) {
    return new AppError('user_suspended', 'The wallet of this user is a key of the service.');
  }
  return undefined;
}
