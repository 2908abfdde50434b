import { and, asc, desc, eq, gt, inArray, lt, notExists, or, sql } from 'drizzle-orm';
import { char, check, index, integer, pgEnum, pgTable, text, unique } from 'drizzle-orm/pg-core';
import type { UserId, Uuid } from '../domain/ids.js';
import type { WalletAddress } from '../domain/solana.js';
import { countries } from './catalogue/countries.js';
import type { Db, Tx } from './client.js';
import { address, bytes, bytesList, hasBytes, moment, prefixed } from './columns.js';
import { type KycKey, kycKeys } from './kyc-keys.js';
import { type Filter, findPageByValue, type PageOf } from './page.js';
import { partnerId } from './partners/partners.js';
import { findRow, insertNew } from './rows.js';

const userKey = prefixed('gu');

export const userStatus = pgEnum('user_status', ['active', 'suspended']);

/** End-users of partners. A wallet is one user's, across all partners. */
export const users = pgTable(
  'users',
  {
    id: userKey().primaryKey(),
    partnerId: partnerId().notNull(),
    partnerUserId: text('partner_user_id').notNull(),
    walletAddress: address('wallet_address').notNull().unique('users_wallet_address'),
    status: userStatus().notNull().default('active'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    unique('users_partner_user_id').on(t.partnerId, t.partnerUserId),
    index('users_partner_created').on(t.partnerId, t.status, t.createdAt, t.id),
    index('users_created').on(t.status, t.createdAt, t.id),
    // For those who look for the beginning of one, over all partners.
    index('users_partner_user_id_begins').on(t.partnerUserId.op('text_pattern_ops')),
    check('users_partner_user_id_length', sql`char_length(${t.partnerUserId}) between 1 and 255`),
    check('users_wallet_length', hasBytes(t.walletAddress, 32)),
  ],
);

export const userId = () => userKey('user_id').references(() => users.id);

/** What a partner attests about a user: who it is, encrypted, and what says nothing of that. A user without a row was erased. */
export const userKyc = pgTable(
  'user_kyc',
  {
    userId: userId().primaryKey(),
    country: char({ length: 2 })
      .notNull()
      .references(() => countries.code),
    kycLevel: text('kyc_level').notNull(),
    kycVerifiedAt: moment('kyc_verified_at').notNull(),
    /** The data key that encrypts the identity. */
    keyId: integer('key_id')
      .notNull()
      .references(() => kycKeys.id),
    /** Name, provider and data of the record, sealed for this user. */
    identity: bytes('identity').notNull(),
    /** By which the record is found: hashes, under a key that the data key gives for the partner, of the words of the name and of the id number. */
    searchTerms: bytesList('search_terms').notNull(),
  },
  (t) => [
    // Without a list of what is to be added: searches would read all of it, each time.
    index('user_kyc_search_terms').using('gin', t.searchTerms).with({ fastupdate: false }),
  ],
);

export type User = typeof users.$inferSelect;
export type UserKyc = typeof userKyc.$inferSelect;
/** A KYC record whose identity is encrypted, with the key that encrypts it. */
export type SealedKyc = UserKyc & { key: KycKey };

/** Returns a user and, if there is one, the KYC record. */
export async function findUser(
  db: Db | Tx,
  id: UserId,
): Promise<{ user: User; kyc: SealedKyc | null } | undefined> {
  const [row] = await db
    .select({ user: users, kyc: userKyc, key: kycKeys })
    .from(users)
    .leftJoin(userKyc, eq(userKyc.userId, users.id))
    .leftJoin(kycKeys, eq(kycKeys.id, userKyc.keyId))
    .where(eq(users.id, id));
  return row && { user: row.user, kyc: row.kyc && row.key && { ...row.kyc, key: row.key } };
}

/** Returns the ids that partners have given to users, by the service's own. */
export async function findPartnerUserIds(db: Db | Tx, ids: readonly UserId[]): Promise<Map<UserId, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: users.id, partnerUserId: users.partnerUserId })
    .from(users)
    .where(inArray(users.id, [...new Set(ids)]));
  return new Map(rows.map(({ id, partnerUserId }) => [id, partnerUserId]));
}

/** What a KYC record says without naming anyone. */
export type UserLevel = Pick<UserKyc, 'country' | 'kycLevel'>;

/** Returns the KYC levels and countries of users; those who have no record are left out. */
export async function findUserLevels(db: Db | Tx, ids: readonly UserId[]): Promise<Map<UserId, UserLevel>> {
  const { userId: id, country, kycLevel } = userKyc;
  const rows = await db
    .select({ id, country, kycLevel })
    .from(userKyc)
    .where(inArray(id, [...ids]));
  return new Map(rows.map(({ id: ofUser, ...level }) => [ofUser, level]));
}

/** Returns the KYC records of users; those who have none are left out. */
export async function findKycOf(db: Db | Tx, ids: readonly UserId[]): Promise<Map<UserId, SealedKyc>> {
  const rows = await db
    .select({ kyc: userKyc, key: kycKeys })
    .from(userKyc)
    .innerJoin(kycKeys, eq(kycKeys.id, userKyc.keyId))
    .where(inArray(userKyc.userId, [...ids]));
  return new Map(rows.map(({ kyc, key }) => [kyc.userId, { ...kyc, key }]));
}

/**
 * Returns the users whose KYC records have all terms of one of several lists, newest first: each partner has a list of its own
 * under each data key.
 */
export async function findUsersByTerms(
  db: Db | Tx,
  lists: readonly Uint8Array[][],
  limit: number,
): Promise<{ user: User; kyc: SealedKyc }[]> {
  const hasAll = lists.map(
    (terms) => sql`${userKyc.searchTerms} @> ${sql.param(terms, userKyc.searchTerms)}`,
  );
  // Ids begin with the time. As text, so that they are not walked through in their order until enough match.
  const found = db
    .select({ id: userKyc.userId })
    .from(userKyc)
    .where(or(sql`false`, ...hasAll))
    .orderBy(sql`${userKyc.userId}::text desc`)
    .limit(limit)
    .as('found');
  const rows = await db
    .select({ user: users, kyc: userKyc, key: kycKeys })
    .from(found)
    .innerJoin(users, eq(users.id, found.id))
    .innerJoin(userKyc, eq(userKyc.userId, found.id))
    .innerJoin(kycKeys, eq(kycKeys.id, userKyc.keyId))
    .orderBy(desc(users.id));
  return rows.map(({ user, kyc, key }) => ({ user, kyc: { ...kyc, key } }));
}

/** Returns whether a user is one of a partner's: a list of both need not be read to find that it is empty. */
export async function isUserOf(db: Db | Tx, id: UserId, partner: Uuid): Promise<boolean> {
  return (await findRow(db, users, eq(users.id, id)))?.partnerId === partner;
}

/** A page of the users of all partners, or of one, newest first, without their KYC records. */
export const findUsers = (db: Db | Tx, filter: Filter<typeof users>, page: PageOf) =>
  findPageByValue(db, users, { filter, values: { status: userStatus.enumValues } }, page);

/** A user whom only this transaction changes until it ends, and who can be traded with meanwhile. */
export const lockUser = (tx: Tx, id: UserId) => findRow(tx, users, eq(users.id, id), 'no key update');

export async function updateUserStatus(tx: Tx, id: UserId, status: User['status'], at: Date): Promise<void> {
  await tx.update(users).set({ status, updatedAt: at }).where(eq(users.id, id));
}

/** Changes the level of a user's KYC record, and when the user was changed last. */
export async function updateKycLevel(tx: Tx, id: UserId, kycLevel: string, at: Date): Promise<void> {
  await tx.update(userKyc).set({ kycLevel }).where(eq(userKyc.userId, id));
  await tx.update(users).set({ updatedAt: at }).where(eq(users.id, id));
}

/** Inserts a user; false when the wallet, or the partner's own id, is taken. */
export async function insertUser(tx: Tx, user: typeof users.$inferInsert): Promise<boolean> {
  return insertNew(tx, users, user);
}

export async function insertUserKyc(tx: Tx, kyc: typeof userKyc.$inferInsert): Promise<void> {
  await tx.insert(userKyc).values(kyc);
}

/**
 * Returns the users that stand in the way of a new one: the holder of that wallet, and of that id within the partner.
 */
export async function findUserConflicts(
  db: Db | Tx,
  wanted: { partnerId: Uuid; partnerUserId: string; walletAddress: WalletAddress },
): Promise<User[]> {
  return db
    .select()
    .from(users)
    .where(
      or(
        eq(users.walletAddress, wanted.walletAddress),
        and(eq(users.partnerId, wanted.partnerId), eq(users.partnerUserId, wanted.partnerUserId)),
      ),
    );
}

/** Deletes the KYC record of a user; false if there is none. */
export async function deleteUserKyc(tx: Tx, id: UserId): Promise<boolean> {
  const { count } = await tx.delete(userKyc).where(eq(userKyc.userId, id));
  return count === 1;
}

/** Returns the id of the user whom a partner knows by an id of its own. */
export async function findUserIdOf(
  db: Db | Tx,
  partner: Uuid,
  partnerUserId: string,
): Promise<UserId | undefined> {
  const { id } = users;
  const [user] = await db
    .select({ id })
    .from(users)
    .where(and(eq(users.partnerId, partner), eq(users.partnerUserId, partnerUserId)));
  return user?.id;
}

/**
 * Returns the user whom a partner knows by an id of its own, and whom only this transaction changes until it ends. No row
 * that refers to the user is written meanwhile.
 */
export const lockUserOf = (tx: Tx, partner: Uuid, partnerUserId: string) =>
  findRow(tx, users, and(eq(users.partnerId, partner), eq(users.partnerUserId, partnerUserId)), 'update');

/** Locks KYC records that a data key older than `keyId` encrypts, in the order of their users and behind one of them. */
export async function lockKycBefore(
  tx: Tx,
  keyId: number,
  page: { after: UserId | undefined; limit: number },
): Promise<(SealedKyc & Pick<User, 'partnerId'>)[]> {
  const behind = page.after && gt(userKyc.userId, page.after);
  const rows = await tx
    .select({ kyc: userKyc, key: kycKeys, partnerId: users.partnerId })
    .from(userKyc)
    .innerJoin(kycKeys, eq(kycKeys.id, userKyc.keyId))
    .innerJoin(users, eq(users.id, userKyc.userId))
    .where(and(lt(userKyc.keyId, keyId), behind))
    .orderBy(asc(userKyc.userId))
    .limit(page.limit)
    .for('no key update', { of: userKyc });
  return rows.map(({ kyc, key, partnerId }) => ({ ...kyc, key, partnerId }));
}

export async function updateIdentity(
  tx: Tx,
  { userId: id, keyId, identity, searchTerms }: Omit<UserKyc, 'country' | 'kycLevel' | 'kycVerifiedAt'>,
): Promise<void> {
  await tx.update(userKyc).set({ keyId, identity, searchTerms }).where(eq(userKyc.userId, id));
}

/** Deletes the data keys older than `keyId` that encrypt nothing any more. Returns how many are left. */
export async function deleteUnusedKycKeys(tx: Tx, keyId: number): Promise<number> {
  const older = lt(kycKeys.id, keyId);
  // Those who are about to use one are waited for; what they wrote is only seen by the next statement.
  const found = await tx.select({ id: kycKeys.id }).from(kycKeys).where(older).for('update');
  const inUse = tx.select().from(userKyc).where(eq(userKyc.keyId, kycKeys.id));
  const { count } = await tx.delete(kycKeys).where(and(older, notExists(inUse)));
  return found.length - count;
}
