import { and, eq, or, sql } from 'drizzle-orm';
import { char, check, index, jsonb, pgEnum, pgTable, text, unique } from 'drizzle-orm/pg-core';
import type { UserId, Uuid } from '../domain/ids.js';
import type { WalletAddress } from '../domain/solana.js';
import { countries } from './catalogue/countries.js';
import type { Db, Tx } from './client.js';
import { address, hasBytes, moment, prefixed, verbatim } from './columns.js';
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

/** What a partner attests about a user. Never logged. */
export const userKyc = pgTable(
  'user_kyc',
  {
    userId: userId().primaryKey(),
    country: char({ length: 2 })
      .notNull()
      .references(() => countries.code),
    fullName: text('full_name').notNull(),
    kycProvider: verbatim('kyc_provider').notNull(),
    kycLevel: text('kyc_level').notNull(),
    kycVerifiedAt: moment('kyc_verified_at').notNull(),
    kycData: jsonb('kyc_data').$type<Record<string, unknown>>(),
  },
  (t) => [check('user_kyc_full_name_length', sql`char_length(${t.fullName}) between 1 and 255`)],
);

export type User = typeof users.$inferSelect;
export type UserKyc = typeof userKyc.$inferSelect;

/** Returns a user and, if there is one, the KYC record. */
export async function findUser(
  db: Db | Tx,
  id: UserId,
): Promise<{ user: User; kyc: UserKyc | null } | undefined> {
  const [row] = await db
    .select({ user: users, kyc: userKyc })
    .from(users)
    .leftJoin(userKyc, eq(userKyc.userId, users.id))
    .where(eq(users.id, id));
  return row;
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
