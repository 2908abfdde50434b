import type { Context } from '../context.js';
import { type ApiKey, findApiKey, type KeyOwner, markApiKeyRevoked } from '../db/api-keys.js';
import type { ChangedBy } from '../domain/audit.js';
import { asUuid } from '../domain/ids.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

const anybody: KeyOwner = { surface: 'any', partnerId: 'any' };

/**
 * Revokes a key of anybody, of either surface, at once and for good, by an operator. Throws `key_not_found`, or
 * `already_revoked` for one that is.
 */
export async function revokeAnyApiKey(
  ctx: Context,
  by: ChangedBy,
  input: { keyId: string; reason?: string | undefined },
  settle: Settle<ApiKey> = settleNothing,
): Promise<ApiKey> {
  const keyId = asUuid(input.keyId);
  if (!keyId) throw keyNotFound();
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const key = await markApiKeyRevoked(tx, anybody, keyId, at);
    if (!key) {
      if (!(await findApiKey(tx, anybody, keyId))) throw keyNotFound();
      throw new AppError('already_revoked', 'This key is revoked already.');
    }
    const { partnerId: partner_id, surface, name } = key;
    const facts = { partner_id, surface, name };
    const change = {
      action: 'api_key.revoke',
      objectType: 'api_key',
      objectId: keyId,
      before: { ...facts, status: 'active' },
      after: { ...facts, status: 'revoked' },
      reason: input.reason,
    };
    await recordChange(tx, by, change, at);
    await settle(tx, key);
    return key;
  });
}

function keyNotFound(): AppError {
  return new AppError('key_not_found', 'There is no such key.');
}
