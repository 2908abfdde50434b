import type { Tx } from '../db/client.js';
import type { Uuid } from '../domain/ids.js';
import { recordChange } from './audit.js';

/** The request by which a wallet mints a key. */
export interface MintedFrom {
  /** IP address of the caller. */
  address: string;
  requestId: string;
}

/** What the audit log keeps of a key: never the key. */
export interface MintedKey {
  keyId: Uuid;
  surface: 'partner' | 'tradebook';
  /** Null for a key of the program's admin. */
  partnerId: Uuid | null;
  walletAddress: string;
  keyName: string;
  scope: string;
  expiresAt: Date | null;
}

/** Writes a key that was minted to the audit log, in the transaction that inserts it and as its last statement. */
export async function recordMinted(tx: Tx, from: MintedFrom, key: MintedKey, at: Date): Promise<void> {
  const after = {
    surface: key.surface,
    partner_id: key.partnerId,
    wallet_address: key.walletAddress,
    key_name: key.keyName,
    scope: key.scope,
    expires_at: key.expiresAt?.toISOString() ?? null,
    address: from.address,
  };
  const change = {
    action: 'api_key.create',
    objectType: 'api_key',
    objectId: key.keyId,
    before: null,
    after,
  };
  await recordChange(tx, { operatorId: null, requestId: from.requestId }, change, at);
}
