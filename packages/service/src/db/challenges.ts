import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { ChallengeId, Uuid } from '../domain/ids.js';
import { moment } from './columns.js';
import { partnerWallets } from './partner-wallets.js';
import { partners } from './partners.js';

/** A message for a partner wallet to sign; used once, within two minutes. */
export const challenges = pgTable(
  'challenges',
  {
    id: text().primaryKey().$type<ChallengeId>(),
    partnerId: uuid('partner_id')
      .notNull()
      .references(() => partners.id)
      .$type<Uuid>(),
    walletAddress: text('wallet_address')
      .notNull()
      .references(() => partnerWallets.walletAddress),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [
    index('challenges_expires').on(t.expiresAt),
    check('challenges_id', sql`${t.id} like 'ch\\_%'`),
    check('challenges_lifetime', sql`${t.expiresAt} > ${t.createdAt}`),
  ],
);
