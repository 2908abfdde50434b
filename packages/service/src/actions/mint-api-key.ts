import type { Address } from '@solana/kit';
import { isBase58Signature, isSignedBy } from '../chain/wallet.js';
import type { Context } from '../context.js';
import { insertApiKey } from '../db/api-keys.js';
import { findChallengeForUse, markChallengeUsed, type OpenChallenge } from '../db/challenges.js';
import {
  asId,
  challengeMessage,
  decodeBase64,
  hashApiKey,
  newApiKey,
  newUuid,
  type Uuid,
} from '../domain/index.js';
import { AppError, invalidField } from '../errors.js';
import { type MintedFrom, recordMinted } from './record-minted.js';
import { requireRoomForKey } from './require-room-for-key.js';

export interface MintedApiKey {
  /** The key itself: this is the only time that anybody sees it. */
  apiKey: string;
  keyId: Uuid;
  scope: 'PARTNER';
  keyName: string;
  walletAddress: string;
  partnerId: Uuid;
  createdAt: Date;
}

/**
 * Mints a key for a caller who signed a challenge with the partner wallet that it was issued for. A failed signature
 * does not use the challenge up; a minted key is in the audit log with the caller's address. Of racing requests one
 * succeeds, because using the challenge up is a compare-and-set in the transaction that inserts the key. Throws, in
 * this order, `invalid_challenge`, `challenge_expired`, `wallet_revoked`, `invalid_signature`, `partner_suspended`,
 * `too_many_keys`.
 */
export async function mintApiKey(
  ctx: Context,
  from: MintedFrom,
  input: { challengeId: string; signature: string; keyName: string },
): Promise<MintedApiKey> {
  const signature = decodeBase64(input.signature);
  const isBase58 = isBase58Signature(input.signature);
  if (!signature && !isBase58) throw invalidField('signature', 'signature must be base64.');
  const id = asId('ch', input.challengeId);
  if (!id) throw invalidChallenge();
  const now = new Date(ctx.clock.now());
  const apiKey = newApiKey('partner');
  const keyId = newUuid();
  const { walletAddress, partnerId } = await ctx.db.transaction(async (tx) => {
    const challenge = requireUsable(await findChallengeForUse(tx, id), now);
    if (challenge.walletStatus !== 'active') {
      throw new AppError('wallet_revoked', 'The wallet of this challenge is revoked.');
    }
    if (
      isBase58 ||
      !signature ||
      !isSignedBy(challenge.walletAddress as Address, challengeMessage(id), signature)
    ) {
      throw invalidSignature(isBase58);
    }
    if (challenge.partnerStatus !== 'active') {
      throw new AppError('partner_suspended', 'This partner is suspended.');
    }
    await requireRoomForKey(tx, challenge.partnerId, now);
    if (!(await markChallengeUsed(tx, id, now))) throw invalidChallenge();
    await insertApiKey(tx, {
      id: keyId,
      partnerId: challenge.partnerId,
      walletAddress: challenge.walletAddress,
      name: input.keyName,
      hash: hashApiKey(apiKey),
      scope: 'PARTNER',
      createdAt: now,
    });
    const minted = { surface: 'partner', scope: 'PARTNER', keyName: input.keyName } as const;
    await recordMinted(tx, from, { ...challenge, ...minted, keyId, expiresAt: null }, now);
    return challenge;
  });
  const { keyName } = input;
  return { apiKey, keyId, scope: 'PARTNER', keyName, walletAddress, partnerId, createdAt: now };
}

/** Returns a challenge that may be answered now, or throws why it may not. */
export function requireUsable<Challenge extends Pick<OpenChallenge, 'usedAt' | 'expiresAt'>>(
  challenge: Challenge | undefined,
  now: Date,
): Challenge {
  if (!challenge || challenge.usedAt) throw invalidChallenge();
  if (now > challenge.expiresAt) {
    throw new AppError('challenge_expired', 'This challenge is older than 2 minutes; request a new one.');
  }
  return challenge;
}

export function invalidChallenge(): AppError {
  return new AppError('invalid_challenge', 'This challenge does not exist or was used already.');
}

export function invalidSignature(isBase58 = false): AppError {
  const message = isBase58
    ? 'The signature must be base64, not base58.'
    : "The signature is not the wallet's Ed25519 signature of the challenge's whole message.";
  return new AppError('invalid_signature', message, { field: 'signature' });
}
