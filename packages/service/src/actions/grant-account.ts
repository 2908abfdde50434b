import type { Address } from '@solana/kit';
import type { BuiltTrade } from '../chain/build-trade.js';
import type { Context } from '../context.js';
import { reserveGrant } from '../db/token-account-grants.js';
import type { UserId } from '../domain/ids.js';

/** The token account that a quote may have to make. */
export interface WantedAccount {
  userId: UserId;
  /** Wallet of the user. */
  user: Address;
  mint: Address;
  /** The quote's transaction cannot land above this block height. */
  lastValidBlockHeight: bigint;
}

/**
 * The quote's transaction in which the service pays for the user's token account, or undefined when it does not: it pays
 * once for each user and mint, so it must never have paid before, and no other quote may be open in which it would. The
 * grant is held for this quote until its transaction has landed or no longer can; that is all that is written.
 */
export async function grantAccount(
  ctx: Context,
  { userId, user, mint, lastValidBlockHeight }: WantedAccount,
  build: () => Promise<BuiltTrade>,
): Promise<BuiltTrade | undefined> {
  if (!(await ctx.chain.tokenAccounts.isMissing(user, mint))) return undefined;
  const built = await build();
  const reservation = { userId, mint, txSignature: built.txHash, lastValidBlockHeight };
  const at = new Date(ctx.clock.now());
  const held = await ctx.db.transaction((tx) => reserveGrant(tx, reservation, at));
  return held ? built : undefined;
}
