import type { Address } from '@solana/kit';
import { decodeBase58Signature, isSignedBy } from '../chain/wallet.js';
import type { Context } from '../context.js';
import { insertApiKey } from '../db/api-keys.js';
import { findTradebookChallenge, markChallengeUsed, type TradebookChallenge } from '../db/challenges.js';
import type { Tx } from '../db/client.js';
import { lockPartner } from '../db/partners.js';
import {
  asId,
  decodeBase64,
  hashApiKey,
  newApiKey,
  newUuid,
  type TradebookScope,
  tradebookChallengeMessage,
  type Uuid,
} from '../domain/index.js';
import { AppError, invalidField } from '../errors.js';
import { findTradebookScopes } from './find-tradebook-scopes.js';
import { invalidChallenge, invalidSignature, requireUsable } from './mint-api-key.js';
import { withoutRole } from './mint-tradebook-challenge.js';
import { type MintedFrom, recordMinted } from './record-minted.js';
import { requireRoomForKey } from './require-room-for-key.js';

export interface MintTradebookKeyInput {
  challengeId: string;
  /** Base64 or base58. */
  signature: string;
  keyName: string;
  /** 1 to 365; undefined: the key does not end by itself. */
  expirationDays: number | undefined;
}

export interface MintedTradebookKey {
  /** The key itself: this is the only time that anybody sees it. */
  apiKey: string;
  keyId: Uuid;
  scopes: TradebookScope[];
  keyName: string;
  walletAddress: string;
  /** Null for a key of the program's admin. */
  partnerId: Uuid | null;
  createdAt: Date;
  expiresAt: Date | null;
}

const dayMs = 24 * 60 * 60_000;

/**
 * Mints a key for a caller who signed a challenge with the wallet that it was issued for, with all roles that the
 * wallet has on chain now. A failed signature does not use the challenge up; of racing requests one succeeds, because
 * using it up is a compare-and-set in the transaction that inserts the key. That transaction also writes the key to the
 * audit log with the caller's address. Throws, in this order, `invalid_request`, `invalid_challenge`,
 * `challenge_expired`, `service_unavailable` while the chain is not known, `wallet_not_found` for a role that was lost
 * meanwhile, `invalid_signature`, `partner_suspended`, `too_many_keys`.
 */
export async function mintTradebookKey(
  ctx: Context,
  from: MintedFrom,
  input: MintTradebookKeyInput,
): Promise<MintedTradebookKey> {
  const signature = decodeBase58Signature(input.signature) ?? decodeBase64(input.signature);
  if (!signature) throw invalidField('signature', 'signature must be base64 or base58.');
  const id = asId('ch', input.challengeId);
  if (!id) throw invalidChallenge();
  const now = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const challenge = requireUsable(await findTradebookChallenge(tx, id), now);
    const { walletAddress, partnerId } = challenge;
    const scopes = findTradebookScopes(ctx, challenge);
    if (scopes.length === 0) throw withoutRole(partnerId === null ? 'ADMIN' : 'PARTNER');
    if (!isSignedBy(walletAddress as Address, tradebookChallengeMessage(id), signature)) {
      throw invalidSignature();
    }
    if (partnerId !== null) await requireActiveWithRoom(tx, partnerId, now);
    if (!(await markChallengeUsed(tx, id, now))) throw invalidChallenge();
    const key = newKeyOf(input, scopes, challenge, now);
    await insertApiKey(tx, {
      id: key.keyId,
      surface: 'tradebook',
      partnerId,
      walletAddress,
      name: key.keyName,
      hash: hashApiKey(key.apiKey),
      scope: scopes.join(' '),
      createdAt: now,
      expiresAt: key.expiresAt,
    });
    const { keyId, keyName, expiresAt } = key;
    const minted = { surface: 'tradebook', keyId, keyName, expiresAt, scope: scopes.join(' ') } as const;
    await recordMinted(tx, from, { ...minted, partnerId, walletAddress }, now);
    return key;
  });
}

/** A suspended partner mints no key, nor does one that has as many as it may. */
async function requireActiveWithRoom(tx: Tx, partnerId: Uuid, now: Date): Promise<void> {
  const partner = await lockPartner(tx, partnerId);
  if (partner?.status !== 'active') throw new AppError('partner_suspended', 'This partner is suspended.');
  await requireRoomForKey(tx, partnerId, now);
}

function newKeyOf(
  { keyName, expirationDays }: MintTradebookKeyInput,
  scopes: TradebookScope[],
  { walletAddress, partnerId }: TradebookChallenge,
  createdAt: Date,
): MintedTradebookKey {
  return {
    apiKey: newApiKey('tradebook'),
    keyId: newUuid(),
    scopes,
    keyName,
    walletAddress,
    partnerId,
    createdAt,
    expiresAt: expirationDays === undefined ? null : new Date(createdAt.getTime() + expirationDays * dayMs),
  };
}
