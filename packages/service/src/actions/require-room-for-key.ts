import { countActiveKeys } from '../db/api-keys.js';
import type { Tx } from '../db/client.js';
import type { Uuid } from '../domain/ids.js';
import { AppError } from '../errors.js';

/** Active keys that a partner may have, of both surfaces together. */
const maxActiveKeys = 50;

/** Throws `too_many_keys` when a partner has as many active keys as it may. Its row has to be locked, so that no race passes. */
export async function requireRoomForKey(tx: Tx, partnerId: Uuid, now: Date): Promise<void> {
  if ((await countActiveKeys(tx, partnerId, now)) < maxActiveKeys) return;
  const message = `This partner has ${maxActiveKeys} active API keys, which is the most it may have; revoke one first.`;
  throw new AppError('too_many_keys', message);
}
