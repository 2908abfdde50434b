import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { appendEvents } from '../../db/events/events.js';
import {
  type ApiKey,
  findApiKey,
  type KeyOwner,
  markApiKeyRevoked,
  markKeysOfWalletRevoked,
} from '../../db/keys/api-keys.js';
import { asUuid, type Uuid } from '../../domain/index.js';
import type { Principal } from '../../domain/principal.js';
import { AppError } from '../../errors.js';
import { apiKeyEvents } from '../../events/partner-events.js';
import { recordChanges } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { recordMemberChange } from '../members/record-member-change.js';

export interface RevokedApiKey {
  keyId: Uuid;
  keyName: string;
  revokedAt: Date;
}

/**
 * Revokes a key of an owner, at once and for good; a key may revoke itself. Throws `key_not_found` for an unknown key and
 * another owner's alike, `already_revoked` for one that is.
 */
export async function revokeApiKey(
  ctx: Context,
  tx: Tx,
  owner: KeyOwner,
  { keyId, requestId, principal }: { keyId: string; requestId: string; principal?: Principal },
): Promise<RevokedApiKey> {
  const revokedAt = new Date(ctx.clock.now());
  const key = await revoke(tx, owner, keyId, revokedAt);
  const facts = { operation: 'revokeApiKey', key_id: key.id };
  if (principal) await recordMemberChange(tx, { principal, requestId }, facts, revokedAt);
  await appendEvents(tx, apiKeyEvents('api_key.revoked', key, { at: revokedAt, requestId }), revokedAt);
  return { keyId: key.id, keyName: key.name, revokedAt };
}

/** Revokes a key of anybody, of either surface, by an operator. Throws as `revokeApiKey` does. */
export async function revokeAnyApiKey(
  { tx, by, at }: ChangeTx,
  { keyId, reason }: { keyId: string; reason?: string | undefined },
): Promise<ApiKey> {
  const key = await revoke(tx, { surface: 'any', partnerId: 'any' }, keyId, at);
  await recordRevocations({ tx, by, at }, [key], reason);
  return key;
}

/** Revokes the keys that a wallet of a partner minted, of both APIs, and returns them. */
export async function revokeKeysOfWallet(
  { tx, by, at }: ChangeTx,
  wallet: Pick<ApiKey, 'partnerId' | 'walletAddress'>,
  reason: string | undefined,
): Promise<ApiKey[]> {
  const keys = await markKeysOfWalletRevoked(tx, wallet, at);
  await recordRevocations({ tx, by, at }, keys, reason);
  return keys;
}

async function recordRevocations(
  { tx, by, at }: ChangeTx,
  keys: ApiKey[],
  reason: string | undefined,
): Promise<void> {
  const changes = keys.map(({ id, partnerId: partner_id, surface, name }) => {
    const facts = { partner_id, surface, name };
    return {
      action: 'api_key.revoke' as const,
      objectId: id,
      before: { ...facts, status: 'active' },
      after: { ...facts, status: 'revoked' },
      reason,
    };
  });
  await recordChanges(tx, by, changes, at);
  const of = { at, requestId: by.requestId };
  await appendEvents(
    tx,
    keys.flatMap((key) => apiKeyEvents('api_key.revoked', key, of)),
    at,
  );
}

async function revoke(tx: Tx, owner: KeyOwner, text: string, at: Date): Promise<ApiKey> {
  const keyId = asUuid(text);
  const key = keyId && (await markApiKeyRevoked(tx, owner, keyId, at));
  if (key) return key;
  if (!keyId || !(await findApiKey(tx, owner, keyId))) {
    throw new AppError('key_not_found', 'There is no such key.');
  }
  throw new AppError('already_revoked', 'This key is already revoked.');
}
