import { and, eq, isNull, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { hashApiKey } from '../../domain/api-key.js';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { address, bytes, hasBytes, moment } from '../columns.js';
import { findPage, type PageOf } from '../page.js';
import { partnerId } from '../partners/partners.js';
import { findRow } from '../rows.js';
import { noteLastUsed } from './last-used.js';

export const apiKeyStatus = pgEnum('api_key_status', ['active', 'revoked']);
export const apiSurface = pgEnum('api_surface', ['partner', 'tradebook']);

/** Keys of the partner API and of the tradebook API. Only the SHA-256 of a key is kept. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    surface: apiSurface().notNull().default('partner'),
    /** Null for keys of the program's admin, which act for no partner. */
    partnerId: partnerId(),
    /** The wallet that signed: a registered one for the partner API, one with a role on chain for the tradebook API. */
    walletAddress: address('wallet_address').notNull(),
    name: text().notNull(),
    hash: bytes().notNull().unique('api_keys_hash'),
    /** `PARTNER`, or the roles that a key of the tradebook API was minted with, joined by spaces. */
    scope: text().notNull().default('PARTNER'),
    status: apiKeyStatus().notNull().default('active'),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
    /** Null: never. Only keys of the tradebook API expire. */
    expiresAt: moment('expires_at'),
  },
  (t) => [
    index('api_keys_partner_created').on(t.partnerId, t.createdAt, t.id),
    index('api_keys_created').on(t.createdAt, t.id),
    check('api_keys_hash_length', sql`octet_length(${t.hash}) = 32`),
    check('api_keys_wallet_length', hasBytes(t.walletAddress, 32)),
    check('api_keys_name_length', sql`char_length(${t.name}) between 1 and 100`),
    check(
      'api_keys_surface',
      sql`case ${t.surface} when 'partner' then ${t.scope} = 'PARTNER' and ${t.partnerId} is not null and ${t.expiresAt} is null
        else ${t.scope} <> 'PARTNER' and (${t.partnerId} is not null or ${t.scope} = 'ADMIN') end`,
    ),
    check('api_keys_revoked_at', sql`(${t.status} = 'revoked') = (${t.revokedAt} is not null)`),
  ],
);

export type ApiKey = typeof apiKeys.$inferSelect;

/** Status of a key at a time: one that ended by itself is `expired`. */
export function keyStatusAt({ status, expiresAt }: ApiKey, nowMs: number): ApiKey['status'] | 'expired' {
  return status === 'active' && expiresAt !== null && expiresAt.getTime() <= nowMs ? 'expired' : status;
}

export async function insertApiKey(tx: Tx, key: typeof apiKeys.$inferInsert): Promise<void> {
  await tx.insert(apiKeys).values(key);
}

/** Returns whether a key is known and not revoked. */
export async function hasActiveKey(db: Db | Tx, key: string): Promise<boolean> {
  const isKey = eq(apiKeys.hash, hashApiKey(key));
  const found = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(isKey, eq(apiKeys.status, 'active')));
  return found.length > 0;
}

/** Whose keys, of one surface or both: a partner's, those that act for no partner (null), or everybody's. */
export interface KeyOwner {
  surface: ApiKey['surface'] | 'any';
  partnerId: Uuid | null | 'any';
}

function ownedBy({ surface, partnerId }: KeyOwner) {
  const ofSurface = surface === 'any' ? undefined : eq(apiKeys.surface, surface);
  if (partnerId === 'any') return ofSurface;
  return and(ofSurface, partnerId === null ? isNull(apiKeys.partnerId) : eq(apiKeys.partnerId, partnerId));
}

/** A page of an owner's keys, newest first, active and revoked. */
export const findApiKeys = (db: Db | Tx, owner: KeyOwner, page: PageOf): Promise<ApiKey[]> =>
  findPage(db, apiKeys, [ownedBy(owner)], page);

/** One key of that owner; undefined for an unknown one and for another owner's alike. */
export const findApiKey = (db: Db | Tx, owner: KeyOwner, id: Uuid) =>
  findRow(db, apiKeys, and(eq(apiKeys.id, id), ownedBy(owner)));

/** Revokes an owner's active key; undefined when there is none, or another revocation was first. */
export async function markApiKeyRevoked(
  tx: Tx,
  owner: KeyOwner,
  id: Uuid,
  at: Date,
): Promise<ApiKey | undefined> {
  const [moved] = await tx
    .update(apiKeys)
    .set({ status: 'revoked', revokedAt: at })
    .where(and(eq(apiKeys.id, id), ownedBy(owner), eq(apiKeys.status, 'active')))
    .returning();
  return moved;
}

/** Revokes the active keys that a wallet of a partner minted, of both APIs, and returns them. */
export const markKeysOfWalletRevoked = (
  tx: Tx,
  { partnerId, walletAddress }: Pick<ApiKey, 'partnerId' | 'walletAddress'>,
  at: Date,
): Promise<ApiKey[]> =>
  tx
    .update(apiKeys)
    .set({ status: 'revoked', revokedAt: at })
    .where(
      and(
        ownedBy({ surface: 'any', partnerId }),
        eq(apiKeys.walletAddress, walletAddress),
        eq(apiKeys.status, 'active'),
      ),
    )
    .returning();

export const updateLastUsed = (tx: Tx, uses: ReadonlyMap<Uuid, Date>) => noteLastUsed(tx, apiKeys, uses);
