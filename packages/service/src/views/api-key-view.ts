import { Type } from '@fastify/type-provider-typebox';
import { type ApiKey, keyStatusAt } from '../db/keys/api-keys.js';
import { field } from './fields.js';
import { choice, Nullable, titled } from './schemas.js';
import { field as tradebookField } from './tradebook-fields.js';
import { viewOf } from './view.js';

/** A key of the partner API, as its partner sees it. */
export const ApiKeyView = titled('ApiKey', {
  key_id: Type.String(field.keyId),
  key_name: Type.String(field.keyName),
  scope: Type.String(field.scope),
  status: choice(['active', 'revoked'], field.keyStatus),
  wallet_address: Type.String(field.partnerWallet),
  last_used_at: Nullable(Type.String(), field.lastUsedAt),
  created_at: Type.String(field.createdAt),
  revoked_at: Nullable(Type.String(), { ...field.revokedAt, examples: [null] }),
});

export const TradebookApiKeyView = titled('ApiKey', {
  id: Type.String(tradebookField.keyId),
  name: Type.String(tradebookField.keyName),
  scope: Type.Array(Type.String(tradebookField.scope)),
  walletAddress: Type.String(tradebookField.roleWallet),
  partnerId: Nullable(Type.String(), tradebookField.keyPartnerId),
  status: choice(['active', 'revoked', 'expired'], tradebookField.keyStatus),
  createdAt: Type.String(tradebookField.createdAt),
  expiresAt: Nullable(Type.String(), tradebookField.keyExpiresAt),
  lastUsedAt: Nullable(Type.String(), tradebookField.lastUsedAt),
  revokedAt: Nullable(Type.String(), { ...tradebookField.revokedAt, examples: [null] }),
});

const apiKeyView = viewOf(ApiKeyView);
const tradebookApiKeyView = viewOf(TradebookApiKeyView);

export const toApiKeyView = (key: ApiKey) => apiKeyView({ ...key, keyId: key.id, keyName: key.name });

export function toTradebookApiKeyView(key: ApiKey, nowMs: number) {
  return tradebookApiKeyView({ ...key, scope: key.scope.split(' '), status: keyStatusAt(key, nowMs) });
}
