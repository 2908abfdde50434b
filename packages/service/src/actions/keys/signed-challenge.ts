import { decodeBase58Signature, isSignedBy } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import { type Challenge, findChallenge } from '../../db/keys/challenges.js';
import { asId, type ChallengeSurface, challengeMessage, decodeBase64 } from '../../domain/index.js';
import { AppError, invalidField } from '../../errors.js';

/** What proves that a caller has the wallet of a challenge. */
export interface Signed<Surface extends ChallengeSurface = ChallengeSurface> {
  surface: Surface;
  /** 64 bytes; undefined for what is none. */
  signature: Uint8Array | undefined;
  /** Whether what was sent is a signature in base58, which this API does not take. */
  isBase58?: boolean;
}

/**
 * Returns a challenge that can be used now and that its wallet has signed. Locks nothing and uses nothing up. Throws, in this
 * order, `invalid_challenge`, `challenge_expired`, `invalid_signature`.
 */
export async function readSignedChallenge(
  ctx: Context,
  challengeId: string,
  { surface, signature, isBase58 = false }: Signed,
  now: Date,
): Promise<Challenge> {
  const id = asId('ch', challengeId);
  if (!id) throw invalidChallenge();
  const challenge = requireUsable(await findChallenge(ctx.db, surface, id), now);
  if (
    isBase58 ||
    !signature ||
    !isSignedBy(challenge.walletAddress, challengeMessage(surface, id), signature)
  ) {
    throw invalidSignature(isBase58);
  }
  return challenge;
}

/** Reads a signature in any form that wallets give: base64 or base58. Throws `invalid_request`, field `signature`. */
export function readSignature(text: string): Uint8Array {
  const signature = decodeBase58Signature(text) ?? decodeBase64(text);
  if (signature) return signature;
  throw invalidField('signature', 'signature must be base64 or base58.');
}

/** Returns a challenge that can be used now, or throws the reason why it cannot. */
function requireUsable<Challenge extends { usedAt: Date | null; expiresAt: Date }>(
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
  return new AppError('invalid_challenge', 'This challenge does not exist or has already been used.');
}

function invalidSignature(isBase58 = false): AppError {
  const message = isBase58
    ? 'The signature must be base64, not base58.'
    : "The signature is not the wallet's Ed25519 signature of the challenge's whole message.";
  return new AppError('invalid_signature', message, { field: 'signature' });
}
