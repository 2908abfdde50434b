import type { Context } from '../context.js';
import { findApiKey, markApiKeyRevoked } from '../db/api-keys.js';
import { asUuid, type Principal, type Uuid } from '../domain/index.js';
import { AppError } from '../errors.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

export interface RevokedApiKey {
  keyId: Uuid;
  revokedAt: Date;
}

/**
 * Revokes a key of the caller's partner, at once and for good; a key may revoke itself. Throws `key_not_found` for an
 * unknown key and another partner's alike, `already_revoked` for one that is.
 */
export async function revokeApiKey(
  ctx: Context,
  principal: Principal,
  id: string,
  settle: Settle<RevokedApiKey> = settleNothing,
): Promise<RevokedApiKey> {
  const keyId = asUuid(id);
  if (!keyId) throw keyNotFound();
  const revokedAt = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    if (await markApiKeyRevoked(tx, principal.partnerId, keyId, revokedAt)) {
      return settle(tx, { keyId, revokedAt });
    }
    if (!(await findApiKey(tx, principal.partnerId, keyId))) throw keyNotFound();
    throw new AppError('already_revoked', 'This key is revoked already.');
  });
  return { keyId, revokedAt };
}

function keyNotFound(): AppError {
  return new AppError('key_not_found', 'There is no such key.');
}
