import type { Context } from '../context.js';
import { findApiKey, type KeyOwner, markApiKeyRevoked } from '../db/api-keys.js';
import { asUuid, type Uuid } from '../domain/index.js';
import { AppError } from '../errors.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

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
  owner: KeyOwner,
  id: string,
  settle: Settle<RevokedApiKey> = settleNothing,
): Promise<RevokedApiKey> {
  const keyId = asUuid(id);
  if (!keyId) throw keyNotFound();
  const revokedAt = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const key = await markApiKeyRevoked(tx, owner, keyId, revokedAt);
    if (key) {
      const revoked = { keyId, keyName: key.name, revokedAt };
      await settle(tx, revoked);
      return revoked;
    }
    if (!(await findApiKey(tx, owner, keyId))) throw keyNotFound();
    throw new AppError('already_revoked', 'This key is revoked already.');
  });
}

function keyNotFound(): AppError {
  return new AppError('key_not_found', 'There is no such key.');
}
