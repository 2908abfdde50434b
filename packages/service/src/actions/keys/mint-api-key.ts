import { isBase58Signature } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { appendEvents } from '../../db/events/events.js';
import { type ApiKey, insertApiKey } from '../../db/keys/api-keys.js';
import { type Challenge, lockKeyOwner, markChallengeUsed } from '../../db/keys/challenges.js';
import { lockPartner, type Partner } from '../../db/partners/partners.js';
import { base64Fault, decodeBase64, hashApiKey, newApiKey, newUuid, type Uuid } from '../../domain/index.js';
import type { WalletAddress } from '../../domain/solana.js';
import { AppError, invalidField, partnerSuspended } from '../../errors.js';
import { apiKeyEvents } from '../../events/partner-events.js';
import { recordChange } from '../audit.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';
import { findTradebookScopes } from './find-tradebook-scopes.js';
import { withoutRole } from './mint-challenge.js';
import { invalidChallenge, readSignature, readSignedChallenge, type Signed } from './signed-challenge.js';

export interface MintedFrom {
  /** IP address. */
  address: string;
  requestId: string;
}

export interface MintInput {
  challengeId: string;
  /** Base64, for the tradebook API also base58. */
  signature: string;
  keyName: string;
}

export interface MintedApiKey {
  /** The key itself: this is the only time that anybody sees it. */
  apiKey: string;
  keyId: Uuid;
  /** `PARTNER`, or the roles of a key of the tradebook API, joined by spaces. */
  scope: string;
  keyName: string;
  walletAddress: WalletAddress;
  /** Null for a key of the program's admin. */
  partnerId: Uuid | null;
  createdAt: Date;
  /** Null for a key that does not end by itself. */
  expiresAt: Date | null;
}

const dayMs = 24 * 60 * 60_000;

/**
 * Mints a key for a caller who signed a challenge with the partner wallet that it was issued for. A failed signature
 * does not use the challenge up; a minted key is in the audit log with the caller's address. Of racing requests one
 * succeeds, because using the challenge up is a compare-and-set in the transaction that inserts the key. Throws, in
 * this order, `invalid_challenge`, `challenge_expired`, `invalid_signature`, `wallet_revoked`, `partner_suspended`,
 * `wallet_not_allowed`.
 */
export async function mintApiKey(ctx: Context, from: MintedFrom, input: MintInput): Promise<MintedApiKey> {
  const signature = decodeBase64(input.signature);
  const isBase58 = isBase58Signature(input.signature);
  if (!signature && !isBase58)
    throw invalidField('signature', `signature must be base64; ${base64Fault(input.signature)}.`);
  const signed: Signed<'partner' | 'tradebook'> = { surface: 'partner', signature, isBase58 };
  return mint(ctx, from, input, signed, async (tx, challenge) => {
    const owner = await lockKeyOwner(tx, challenge);
    if (!owner) throw invalidChallenge();
    if (owner.walletStatus !== 'active')
      throw new AppError('wallet_revoked', 'The wallet of this challenge is revoked.');
    requireActive(owner.partnerStatus);
    return { scope: 'PARTNER', expiresAt: null };
  });
}

/**
 * Mints a key of the tradebook API in the same way, with all roles that the wallet has on chain now. Throws, in this order,
 * `invalid_request`, `invalid_challenge`, `challenge_expired`, `invalid_signature`, `service_unavailable` while the chain is not
 * known, `wallet_not_found` for a role that was lost meanwhile, `partner_suspended`, `wallet_not_allowed`.
 * @param input `expirationDays` from 1 to `maxKeyDays`; undefined: the key does not end by itself.
 */
export async function mintTradebookKey(
  ctx: Context,
  from: MintedFrom,
  input: MintInput & { expirationDays?: number | undefined },
): Promise<MintedApiKey> {
  const signed = { surface: 'tradebook', signature: readSignature(input.signature) } as const;
  return mint(ctx, from, input, signed, async (tx, challenge, now) => {
    const { partnerId } = challenge;
    const scopes = findTradebookScopes(ctx, challenge);
    if (scopes.length === 0) throw withoutRole(partnerId === null ? 'ADMIN' : 'PARTNER');
    if (partnerId !== null) requireActive((await lockPartner(tx, partnerId))?.status);
    const { expirationDays: days } = input;
    const expiresAt = days === undefined ? null : new Date(now.getTime() + days * dayMs);
    return { scope: scopes.join(' '), expiresAt };
  });
}

/**
 * Uses a signed challenge up and inserts the key that `grant` grants for it, with its row of the audit log: never the key. Until
 * the signature is verified, nothing is locked.
 */
async function mint(
  ctx: Context,
  { address, requestId }: MintedFrom,
  { challengeId, keyName }: MintInput,
  signed: Signed<'partner' | 'tradebook'>,
  grant: (tx: Tx, challenge: Challenge, now: Date) => Promise<Pick<MintedApiKey, 'scope' | 'expiresAt'>>,
): Promise<MintedApiKey> {
  const createdAt = new Date(ctx.clock.now());
  const challenge = await readSignedChallenge(ctx, challengeId, signed, createdAt);
  const { id, walletAddress, partnerId } = challenge;
  const { surface } = signed;
  return ctx.db.transaction(async (tx) => {
    const { scope, expiresAt } = await grant(tx, challenge, createdAt);
    await requireAllowedWallets(ctx, { wallets: [walletAddress], stage: 'key', partnerId });
    if (!(await markChallengeUsed(tx, id, createdAt))) throw invalidChallenge();
    const [apiKey, keyId] = [newApiKey(surface), newUuid()];
    const row: ApiKey = {
      id: keyId,
      surface,
      partnerId,
      walletAddress,
      name: keyName,
      hash: hashApiKey(apiKey),
      scope,
      status: 'active',
      createdAt,
      lastUsedAt: null,
      revokedAt: null,
      expiresAt,
    };
    await insertApiKey(tx, row);
    const change = { action: 'api_key.create' as const, objectId: keyId };
    const after = {
      surface,
      partner_id: partnerId,
      wallet_address: walletAddress,
      key_name: keyName,
      scope,
      expires_at: expiresAt?.toISOString() ?? null,
      address,
    };
    await recordChange(tx, { personId: null, requestId }, { ...change, after }, createdAt);
    await appendEvents(tx, apiKeyEvents('api_key.created', row, { at: createdAt, requestId }), createdAt);
    return { apiKey, keyId, keyName, walletAddress, partnerId, scope, createdAt, expiresAt };
  });
}

function requireActive(status: Partner['status'] | undefined): void {
  if (status !== 'active') throw partnerSuspended();
}
