import { and, eq, isNull, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable } from 'drizzle-orm/pg-core';
import { challengeSurfaces } from '../../domain/challenge.js';
import type { ChallengeId } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { address, hasBytes, moment, prefixed } from '../columns.js';
import { partnerWallets } from '../partners/partner-wallets.js';
import { partnerId, partners } from '../partners/partners.js';
import { changeRow, findRow } from '../rows.js';

export const challengeSurface = pgEnum('challenge_surface', challengeSurfaces);

const challengeKey = prefixed('ch');

/** Messages for wallets to sign, for a key of one of the APIs or a session of the portal; each is used once, within two minutes, for that alone. */
export const challenges = pgTable(
  'challenges',
  {
    id: challengeKey().primaryKey(),
    surface: challengeSurface().notNull(),
    /** Null when a key of the program's admin is requested. */
    partnerId: partnerId(),
    walletAddress: address('wallet_address').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [
    index('challenges_expires').on(t.expiresAt),
    check('challenges_partner', sql`${t.surface} = 'tradebook' or ${t.partnerId} is not null`),
    check('challenges_address', hasBytes(t.walletAddress, 32)),
    check('challenges_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
  ],
);

export type Challenge = typeof challenges.$inferSelect;

export async function insertChallenge(tx: Tx, challenge: typeof challenges.$inferInsert): Promise<void> {
  await tx.insert(challenges).values(challenge);
}

/** Locks nothing, as it comes before the signature is verified. */
export const findChallenge = (db: Db, surface: Challenge['surface'], id: ChallengeId) =>
  findRow(db, challenges, and(eq(challenges.id, id), eq(challenges.surface, surface)));

/** Returns the statuses of a partner and of its wallet, both locked until the transaction ends: neither is revoked or suspended meanwhile. */
export async function lockKeyOwner(
  tx: Tx,
  { partnerId, walletAddress }: Pick<Challenge, 'partnerId' | 'walletAddress'>,
) {
  if (partnerId === null) return undefined;
  const [owner] = await tx
    .select({ partnerId: partners.id, walletStatus: partnerWallets.status, partnerStatus: partners.status })
    .from(partnerWallets)
    .innerJoin(partners, eq(partners.id, partnerWallets.partnerId))
    .where(and(eq(partners.id, partnerId), eq(partnerWallets.walletAddress, walletAddress)))
    .for('no key update');
  return owner;
}

/** Uses a challenge up; false when another request was first. */
export const markChallengeUsed = (tx: Tx, id: ChallengeId, at: Date) =>
  changeRow(tx, challenges, { usedAt: at }, and(eq(challenges.id, id), isNull(challenges.usedAt)));
