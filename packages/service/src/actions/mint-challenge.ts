import { asWalletAddress } from '../chain/wallet.js';
import type { Context } from '../context.js';
import { insertChallenge, type TradebookChallenge } from '../db/challenges.js';
import type { Tx } from '../db/client.js';
import { findPartnerWallet } from '../db/partner-wallets.js';
import {
  asUuid,
  type ChallengeId,
  challengeLifetimeMs,
  challengeMessage,
  newId,
  type Uuid,
} from '../domain/index.js';
import { AppError } from '../errors.js';

export interface MintedChallenge {
  id: ChallengeId;
  /** What the wallet has to sign. */
  message: string;
  expiresAt: Date;
  /** Null for the program's admin. */
  partnerId: Uuid | null;
}

/**
 * Gives out a challenge for an active wallet of a partner. Throws `invalid_wallet` for what is no key and
 * `wallet_not_found` for a wallet that is not an active one of that partner, or a partner that does not exist.
 */
export async function mintChallenge(
  ctx: Context,
  input: { walletAddress: string; partnerId: string },
): Promise<MintedChallenge> {
  const walletAddress = asWalletAddress(input.walletAddress);
  if (!walletAddress) {
    throw new AppError('invalid_wallet', 'wallet_address is not a valid public key.', {
      field: 'wallet_address',
    });
  }
  const partnerId = asUuid(input.partnerId);
  if (!partnerId) throw walletNotFound();
  const challenge = await giveOut(ctx, { surface: 'partner', partnerId, walletAddress }, async (tx) => {
    const wallet = await findPartnerWallet(tx, partnerId, walletAddress);
    if (wallet?.status !== 'active') throw walletNotFound();
  });
  return { ...challenge, message: challengeMessage(challenge.id) };
}

/** Writes a challenge down, unless `check` throws in the same transaction. */
export async function giveOut(
  ctx: Context,
  wanted: Pick<TradebookChallenge, 'surface' | 'partnerId' | 'walletAddress'>,
  check: (tx: Tx) => Promise<void>,
): Promise<Omit<MintedChallenge, 'message'>> {
  const now = ctx.clock.now();
  const id = newId('ch');
  const expiresAt = new Date(now + challengeLifetimeMs);
  await ctx.db.transaction(async (tx) => {
    await check(tx);
    await insertChallenge(tx, { ...wanted, id, createdAt: new Date(now), expiresAt });
  });
  return { id, expiresAt, partnerId: wanted.partnerId };
}

function walletNotFound(): AppError {
  return new AppError('wallet_not_found', 'This is not an active wallet of this partner.');
}
