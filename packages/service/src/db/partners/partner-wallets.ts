import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { WalletAddress } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { address, hasBytes, moment } from '../columns.js';
import { changeRow, findRow, insertNew } from '../rows.js';
import { partnerId } from './partners.js';

export const walletStatus = pgEnum('wallet_status', ['active', 'revoked']);

/** Wallets that may mint keys and co-sign trades. A wallet belongs to one partner for ever. */
export const partnerWallets = pgTable(
  'partner_wallets',
  {
    walletAddress: address('wallet_address').primaryKey(),
    partnerId: partnerId().notNull(),
    status: walletStatus().notNull().default('active'),
    createdAt: moment('created_at').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    index('partner_wallets_partner').on(t.partnerId),
    check('partner_wallets_revoked_at', sql`(${t.status} = 'revoked') = (${t.revokedAt} is not null)`),
    check('partner_wallets_address', hasBytes(t.walletAddress, 32)),
  ],
);

export type PartnerWallet = typeof partnerWallets.$inferSelect;

export async function findPartnerWallet(
  db: Db | Tx,
  partnerId: Uuid,
  walletAddress: WalletAddress,
): Promise<PartnerWallet | undefined> {
  const wallet = await findWalletHolder(db, walletAddress);
  return wallet?.partnerId === partnerId ? wallet : undefined;
}

/** Returns the wallets of partners, active and revoked, in the order of their registration. */
export async function findWalletsOf(db: Db | Tx, partnerIds: Uuid[]): Promise<PartnerWallet[]> {
  if (partnerIds.length === 0) return [];
  return db
    .select()
    .from(partnerWallets)
    .where(inArray(partnerWallets.partnerId, partnerIds))
    .orderBy(asc(partnerWallets.createdAt), asc(partnerWallets.walletAddress));
}

/** Returns a wallet, whichever partner it belongs to. */
export const findWalletHolder = (db: Db | Tx, walletAddress: WalletAddress) =>
  findRow(db, partnerWallets, eq(partnerWallets.walletAddress, walletAddress));

/** Registers a wallet; false when it is a partner's already, revoked or not. */
export async function insertPartnerWallet(tx: Tx, wallet: PartnerWallet): Promise<boolean> {
  return insertNew(tx, partnerWallets, wallet);
}

/** Revokes a partner's active wallet; false when there is none, or another revocation was first. */
export const markWalletRevoked = (
  tx: Tx,
  { partnerId, walletAddress }: Pick<PartnerWallet, 'partnerId' | 'walletAddress'>,
  at: Date,
) =>
  changeRow(
    tx,
    partnerWallets,
    { status: 'revoked', revokedAt: at },
    and(
      eq(partnerWallets.walletAddress, walletAddress),
      eq(partnerWallets.partnerId, partnerId),
      eq(partnerWallets.status, 'active'),
    ),
  );
