import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { type Challenge, insertChallenge } from '../../db/keys/challenges.js';
import { findPartnerWallet } from '../../db/partners/partner-wallets.js';
import { findPartner } from '../../db/partners/partners.js';
import {
  asUuid,
  type ChallengeId,
  type ChallengeSurface,
  challengeLifetimeMs,
  challengeMessage,
  newId,
  type Uuid,
} from '../../domain/index.js';
import { asWalletAddress, type WalletAddress, walletFault } from '../../domain/solana.js';
import { AppError, invalidField } from '../../errors.js';
import { findTradebookScopes } from './find-tradebook-scopes.js';

export interface MintedChallenge {
  id: ChallengeId;
  /** What the wallet has to sign. */
  message: string;
  expiresAt: Date;
  /** Null for the program's admin. */
  partnerId: Uuid | null;
}

/**
 * Gives out a challenge for an active wallet of a partner, for a key of the partner API or a session of the portal. Throws `invalid_wallet` for what is no key, `wallet_revoked` for a
 * wallet that was this partner's, and `wallet_not_found` for any other, or a partner that does not exist.
 */
export async function mintChallenge(
  ctx: Context,
  input: { walletAddress: string; partnerId: string },
  surface: Exclude<ChallengeSurface, 'tradebook'> = 'partner',
): Promise<MintedChallenge> {
  const walletAddress = readWallet(input.walletAddress, 'wallet_address');
  const partnerId = asUuid(input.partnerId);
  if (!partnerId) throw walletNotFound();
  return giveOut(ctx, { surface, partnerId, walletAddress }, async (tx) => {
    const wallet = await findPartnerWallet(tx, partnerId, walletAddress);
    if (!wallet) throw walletNotFound();
    if (wallet.status === 'revoked')
      throw new AppError('wallet_revoked', 'This wallet is revoked: use another wallet of the partner.');
  });
}

export interface TradebookChallengeInput {
  walletAddress: string;
  /** `PARTNER`: for the roles that the wallet has at a partner; `ADMIN`: for that of the program's admin. */
  keyType: 'ADMIN' | 'PARTNER';
  /** Needed for `PARTNER`, and without a meaning for `ADMIN`. */
  partnerId?: string | undefined;
}

/**
 * Gives out a challenge for a wallet that has a role on chain. Throws, in this order: `invalid_request` for a partner's key
 * without a partner, `invalid_wallet`, `service_unavailable` while the chain is not known, and `wallet_not_found` for a
 * wallet without a role, and for a partner that does not exist.
 */
export async function mintTradebookChallenge(
  ctx: Context,
  input: TradebookChallengeInput,
): Promise<MintedChallenge> {
  const { keyType } = input;
  if (keyType === 'PARTNER' && input.partnerId === undefined) {
    throw invalidField('partnerId', 'partnerId is required for a key of type PARTNER.');
  }
  const walletAddress = readWallet(input.walletAddress, 'walletAddress');
  const partnerId = keyType === 'ADMIN' ? null : asUuid(input.partnerId ?? '');
  if (partnerId === undefined) throw withoutRole(keyType);
  if (findTradebookScopes(ctx, { walletAddress, partnerId }).length === 0) throw withoutRole(keyType);
  return giveOut(ctx, { surface: 'tradebook', partnerId, walletAddress }, async (tx) => {
    if (partnerId !== null && !(await findPartner(tx, partnerId))) throw withoutRole(keyType);
  });
}

function readWallet(text: string, field: string): WalletAddress {
  const address = asWalletAddress(text);
  if (address) return address;
  throw new AppError('invalid_wallet', `${field} is not a valid public key: ${walletFault(text)}.`, {
    field,
  });
}

/** Writes a challenge down, unless `check` throws in the same transaction. */
async function giveOut(
  ctx: Context,
  wanted: Pick<Challenge, 'surface' | 'partnerId' | 'walletAddress'>,
  check: (tx: Tx) => Promise<void>,
): Promise<MintedChallenge> {
  const now = ctx.clock.now();
  const id = newId('ch');
  const expiresAt = new Date(now + challengeLifetimeMs);
  await ctx.db.transaction(async (tx) => {
    await check(tx);
    await insertChallenge(tx, { ...wanted, id, createdAt: new Date(now), expiresAt });
  });
  return { id, message: challengeMessage(wanted.surface, id), expiresAt, partnerId: wanted.partnerId };
}

function walletNotFound(): AppError {
  return new AppError('wallet_not_found', 'This is not a wallet of this partner.');
}

/** Returns the refusal of a wallet that has no role, or none any more. */
export function withoutRole(keyType: TradebookChallengeInput['keyType']): AppError {
  return new AppError(
    'wallet_not_found',
    keyType === 'ADMIN'
      ? "This wallet is not the admin of Karat's program."
      : 'This wallet has no role on chain at this partner.',
  );
}
