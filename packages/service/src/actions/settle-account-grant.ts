import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { findReservationsExpiredBelow, releaseGrant, settleGrant } from '../db/token-account-grants.js';
import { type FinalizedChain, withoutTrace } from './traceless.js';

/** An instruction of a landed transaction by which the service was to pay for a user's token account. */
export interface AccountGrantFacts {
  wallet: string;
  mint: string;
  /** False when the account was there already, or the transaction failed. */
  paid: boolean;
}

const grantsPerRound = 256;

/** Settles the grant that was held for a landed transaction: paid for good, or free again. */
export async function settleAccountGrant(
  tx: Tx,
  txSignature: string,
  { wallet, mint, paid }: AccountGrantFacts,
  at: Date,
): Promise<void> {
  if (paid) await settleGrant(tx, { wallet, mint, txSignature }, at);
  else await releaseGrant(tx, txSignature);
}

/**
 * Frees the grants that are held for quotes which never landed and no longer can, and returns how many. Those that landed
 * are settled by their transactions, which are recorded up to `seen`. Rejects when the nodes or the database fail; any
 * number of processes may do it.
 */
export async function sweepLapsedGrants(
  ctx: Context,
  seen: FinalizedChain,
  signal: AbortSignal,
): Promise<number> {
  const expired = await findReservationsExpiredBelow(ctx.db, seen.blockHeight, grantsPerRound);
  const held = expired.map(({ txSignature }) => ({ txSignatures: [txSignature], txSignature }));
  const lapsed = await withoutTrace(ctx, held, seen.slot, signal);
  for (const { txSignature } of lapsed) await ctx.db.transaction((tx) => releaseGrant(tx, txSignature));
  return lapsed.length;
}
