import { and, eq, isNull, lt, sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { ChallengeId, Uuid } from '../domain/ids.js';
import type { Tx } from './client.js';
import { moment } from './columns.js';
import { partners } from './partners.js';

/**
 * Messages for wallets with a role on chain to sign; each is used once, within two minutes. Apart from the challenges of
 * the partner API, so that one can never be taken for the other.
 */
export const tradebookChallenges = pgTable(
  'tradebook_challenges',
  {
    id: text().primaryKey().$type<ChallengeId>(),
    /** Null when a key of the program's admin is asked for. */
    partnerId: uuid('partner_id')
      .references(() => partners.id)
      .$type<Uuid>(),
    walletAddress: text('wallet_address').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [
    index('tradebook_challenges_expires').on(t.expiresAt),
    check('tradebook_challenges_id', sql`${t.id} like 'ch\\_%'`),
    check('tradebook_challenges_address', sql`char_length(${t.walletAddress}) between 32 and 44`),
    check('tradebook_challenges_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
  ],
);

export type TradebookChallenge = typeof tradebookChallenges.$inferSelect;

export async function insertTradebookChallenge(
  tx: Tx,
  challenge: typeof tradebookChallenges.$inferInsert,
): Promise<void> {
  await tx.insert(tradebookChallenges).values(challenge);
}

export async function findTradebookChallenge(
  tx: Tx,
  id: ChallengeId,
): Promise<TradebookChallenge | undefined> {
  const [challenge] = await tx.select().from(tradebookChallenges).where(eq(tradebookChallenges.id, id));
  return challenge;
}

/** Uses a challenge up; false when another request was first. */
export async function markTradebookChallengeUsed(tx: Tx, id: ChallengeId, at: Date): Promise<boolean> {
  const used = await tx
    .update(tradebookChallenges)
    .set({ usedAt: at })
    .where(and(eq(tradebookChallenges.id, id), isNull(tradebookChallenges.usedAt)))
    .returning({ id: tradebookChallenges.id });
  return used.length === 1;
}

/** Forgets challenges that expired before a moment. */
export async function deleteTradebookChallengesExpiredBefore(tx: Tx, before: Date): Promise<void> {
  await tx.delete(tradebookChallenges).where(lt(tradebookChallenges.expiresAt, before));
}
