import { eq, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { type UserId, type Uuid, uuidOf } from '../../domain/ids.js';
import { madeAccounts } from '../../domain/limits.js';
import { addressOf, type WalletAddress } from '../../domain/solana.js';
import type { Velocity } from '../../domain/velocity.js';
import type { Db, Tx } from '../client.js';
import { toVelocity, velocityOf } from '../limits/velocity.js';
import { partnerWallets } from '../partners/partner-wallets.js';
import { partners } from '../partners/partners.js';
import { userKyc, users } from '../users.js';
import { trades } from './trades.js';

/** Everything of the database that a quote has to know about a user. */
export interface Trader {
  id: UserId;
  partnerId: Uuid;
  walletAddress: WalletAddress;
  status: 'active' | 'suspended';
  /** Null when there is no KYC record. */
  kycLevel: string | null;
  partnerWallets: WalletAddress[];
  /** The smallest trade of the partner; 0 for any, base units. */
  minTradeUsdc: bigint;
  /**
   * When the last but one of the trades was recorded that made a token account for the user, in milliseconds since the Unix epoch; null
   * for fewer.
   */
  accountsMadeMs: number | null;
  /** Null when no limit is set for the user or the partner. */
  velocity: Velocity | null;
}

/** Selects when the last trades of a user were recorded that made so many token accounts: an entry of a small index. */
export const accountsMadeMsOf = (user: AnyPgColumn): SQL => sql`(
    select (extract(epoch from ${trades.createdAt}) * 1000)::float8 from ${trades}
    where ${trades.userId} = ${user} and ${trades.madeAccount}
    order by ${trades.createdAt} desc offset ${sql.raw(String(madeAccounts.maxPerDay - 1))} limit 1)`;

/** What makes a `Trader` of `users` joined with `user_kyc`. */
export const traderColumns = {
  id: users.id,
  partnerId: users.partnerId,
  walletAddress: users.walletAddress,
  status: users.status,
  kycLevel: userKyc.kycLevel,
  partnerWallets: sql<WalletAddress[]>`(
    select coalesce(array_agg(${partnerWallets.walletAddress}), '{}') from ${partnerWallets}
    where ${partnerWallets.partnerId} = ${users.partnerId} and ${partnerWallets.status} = 'active'
  )`.mapWith((wallets: Uint8Array[]) => wallets.map(addressOf)),
  minTradeUsdc: sql<bigint>`(
    select ${partners.minTradeUsdc}::text from ${partners} where ${partners.id} = ${users.partnerId}
  )`.mapWith(BigInt),
  accountsMadeMs: sql<number | null>`${accountsMadeMsOf(users.id)}`,
  velocity: sql<Velocity | null>`${velocityOf(users.id, users.partnerId)}`.mapWith(toVelocity),
};

/** Returns the user with that id as a party of trades, or undefined: one prepared query. */
export async function findTrader(db: Db | Tx, id: UserId): Promise<Trader | undefined> {
  // Placeholders are sent as they are, without the column's encoding.
  const [found] = await preparedFor(db).execute({ id: uuidOf(id) });
  return found;
}

export async function findTraderByWallet(
  db: Db | Tx,
  walletAddress: WalletAddress,
): Promise<Trader | undefined> {
  const [found] = await db
    .select(traderColumns)
    .from(users)
    .leftJoin(userKyc, eq(userKyc.userId, users.id))
    .where(eq(users.walletAddress, walletAddress));
  return found;
}

const prepared = new WeakMap<Db | Tx, ReturnType<typeof prepare>>();

function preparedFor(db: Db | Tx) {
  const known = prepared.get(db) ?? prepare(db);
  prepared.set(db, known);
  return known;
}

function prepare(db: Db | Tx) {
  return db
    .select(traderColumns)
    .from(users)
    .leftJoin(userKyc, eq(userKyc.userId, users.id))
    .where(eq(users.id, sql.placeholder('id')))
    .prepare('find_trader');
}
