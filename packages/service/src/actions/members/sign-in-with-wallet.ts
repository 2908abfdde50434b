import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { type Challenge, lockKeyOwner, markChallengeUsed } from '../../db/keys/challenges.js';
import { findWalletOwner } from '../../db/people/members.js';
import { insertPerson } from '../../db/people/people.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import type { Member } from '../../domain/member.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import { invalidChallenge, readSignature, readSignedChallenge } from '../keys/signed-challenge.js';
import { beginConfirmation } from '../people/confirm.js';
import { openSession } from '../people/sign-in.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';

interface SignedMessage {
  challengeId: string;
  /** In base64 or base58. */
  signature: string;
}

/**
 * Opens an owner's session in the name of a wallet of a partner that has signed a challenge of the portal, which is used up. A
 * suspended partner's wallet opens one, which only reads. Throws, in this order, `invalid_challenge`, `challenge_expired`,
 * `invalid_signature`, `wallet_revoked`, `wallet_not_allowed`.
 */
export async function signInWithWallet(
  ctx: Context,
  message: SignedMessage,
  from: {
    address: string;
    broughtSecret: string | undefined;
    userAgent: string | null;
    requestId: string;
  },
): Promise<{ secret: string }> {
  const challenge = await readSigned(ctx, message);
  return ctx.db.transaction(async (tx) => {
    await useChallenge(ctx, tx, challenge);
    const id = await findOrMakeOwner(ctx, tx, challenge, from.requestId);
    return openSession(ctx, tx, { id }, { ...from, kind: 'member', method: 'wallet' });
  });
}

/** Confirms the session of an owner with a fresh signature of the same wallet. Throws as `signInWithWallet` does. */
export async function confirmWithWallet(
  ctx: Context,
  { member, sessionHash, requestId }: { member: Member; sessionHash: Uint8Array; requestId: string },
  message: SignedMessage,
): Promise<{ secret: string; expiresAt: Date }> {
  const challenge = await readSigned(ctx, message);
  if (challenge.walletAddress !== member.walletAddress) throw invalidChallenge();
  return ctx.db.transaction(async (tx) => {
    await useChallenge(ctx, tx, challenge);
    const confirmation = await beginConfirmation(ctx, tx, sessionHash);
    const after = { purpose: 'confirmation', method: 'wallet' };
    const change = { action: 'member.confirm' as const, objectId: member.personId, after };
    await recordChange(tx, { personId: member.personId, requestId }, change, new Date(ctx.clock.now()));
    return confirmation;
  });
}

function readSigned(ctx: Context, { challengeId, signature }: SignedMessage): Promise<Challenge> {
  const signed = { surface: 'portal', signature: readSignature(signature) } as const;
  return readSignedChallenge(ctx, challengeId, signed, new Date(ctx.clock.now()));
}

/** Uses a challenge up whose wallet is still one of the partner's. */
async function useChallenge(ctx: Context, tx: Tx, challenge: Challenge): Promise<void> {
  const { id, walletAddress, partnerId } = challenge;
  const owner = await lockKeyOwner(tx, challenge);
  if (!owner) throw invalidChallenge();
  if (owner.walletStatus !== 'active')
    throw new AppError('wallet_revoked', 'The wallet of this challenge is revoked.');
  await requireAllowedWallets(ctx, { wallets: [walletAddress], stage: 'key', partnerId });
  if (!(await markChallengeUsed(tx, id, new Date(ctx.clock.now())))) throw invalidChallenge();
}

/** Returns the owner in whose name a wallet signs in, who is made the first time. The wallet's row is locked. */
async function findOrMakeOwner(
  ctx: Context,
  tx: Tx,
  { walletAddress, partnerId }: Challenge,
  requestId: string,
): Promise<Uuid> {
  const found = await findWalletOwner(tx, walletAddress);
  if (found) return found.id;
  const at = new Date(ctx.clock.now());
  const id = newUuid();
  const row = { id, partnerId, walletAddress, name: walletAddress, role: 'owner' as const };
  await insertPerson(tx, { ...row, createdAt: at, updatedAt: at });
  const after = { partner_id: partnerId, wallet_address: walletAddress, role: 'owner' };
  const change = { action: 'member.accept_invitation' as const, objectId: id, after };
  await recordChange(tx, { personId: id, requestId }, change, at);
  return id;
}
