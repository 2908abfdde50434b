import { eq, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { bytes, moment } from './columns.js';
import { partnerWallets } from './partner-wallets.js';
import { partners } from './partners.js';

export const apiKeyStatus = pgEnum('api_key_status', ['active', 'revoked']);

/** Keys of the partner API. Only the SHA-256 of a key is kept. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    partnerId: uuid('partner_id')
      .notNull()
      .references(() => partners.id)
      .$type<Uuid>(),
    walletAddress: text('wallet_address')
      .notNull()
      .references(() => partnerWallets.walletAddress),
    name: text().notNull(),
    hash: bytes().notNull().unique('api_keys_hash'),
    scope: text().notNull().default('PARTNER'),
    status: apiKeyStatus().notNull().default('active'),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    index('api_keys_partner_created').on(t.partnerId, t.createdAt, t.id),
    check('api_keys_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('api_keys_name_length', sql`char_length(${t.name}) between 1 and 100`),
    check('api_keys_revoked_at', sql`(${t.status} = 'revoked') = (${t.revokedAt} is not null)`),
  ],
);

/** What authentication needs to know of a key. */
export interface KeyHolder {
  keyId: Uuid;
  partnerId: Uuid;
  scope: string;
  keyStatus: 'active' | 'revoked';
  partnerStatus: 'active' | 'suspended';
}

/** The key with that SHA-256 and its partner's status, in one round trip. */
export async function findKeyHolder(db: Db | Tx, hash: Uint8Array): Promise<KeyHolder | undefined> {
  const [holder] = await db
    .select({
      keyId: apiKeys.id,
      partnerId: apiKeys.partnerId,
      scope: apiKeys.scope,
      keyStatus: apiKeys.status,
      partnerStatus: partners.status,
    })
    .from(apiKeys)
    .innerJoin(partners, eq(partners.id, apiKeys.partnerId))
    .where(eq(apiKeys.hash, hash));
  return holder;
}
