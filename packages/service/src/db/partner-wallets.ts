import { and, eq, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { moment } from './columns.js';
import { partners } from './partners.js';

export const walletStatus = pgEnum('wallet_status', ['active', 'revoked']);

/** Wallets that may mint keys and co-sign trades. A wallet belongs to one partner for ever. */
export const partnerWallets = pgTable(
  'partner_wallets',
  {
    walletAddress: text('wallet_address').primaryKey(),
    partnerId: uuid('partner_id')
      .notNull()
      .references(() => partners.id)
      .$type<Uuid>(),
    status: walletStatus().notNull().default('active'),
    createdAt: moment('created_at').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    index('partner_wallets_partner').on(t.partnerId),
    check('partner_wallets_revoked_at', sql`(${t.status} = 'revoked') = (${t.revokedAt} is not null)`),
    check('partner_wallets_address', sql`char_length(${t.walletAddress}) between 32 and 44`),
  ],
);

export type PartnerWallet = typeof partnerWallets.$inferSelect;

/** A wallet, if it is that partner's. */
export async function findPartnerWallet(
  db: Db | Tx,
  partnerId: Uuid,
  walletAddress: string,
): Promise<PartnerWallet | undefined> {
  const [wallet] = await db
    .select()
    .from(partnerWallets)
    .where(and(eq(partnerWallets.walletAddress, walletAddress), eq(partnerWallets.partnerId, partnerId)));
  return wallet;
}
