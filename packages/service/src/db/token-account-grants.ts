import { and, asc, eq, isNull, lt, sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { UserId } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { baseUnits, moment } from './columns.js';
import { users } from './users.js';

/**
 * For whom the service pays, or has paid, the rent of a token account: once for each user and mint. A row is reserved
 * for the one quote in which the service pays, and goes when that quote comes to nothing; once paid it stays for good.
 * No record of a trade.
 */
export const tokenAccountGrants = pgTable(
  'token_account_grants',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id)
      .$type<UserId>(),
    mint: text().notNull(),
    /** The transaction that pays, or paid: base58 signature of the service. */
    txSignature: text('tx_signature').notNull(),
    /** The transaction cannot land above this block height. */
    lastValidBlockHeight: baseUnits('last_valid_block_height').notNull(),
    createdAt: moment('created_at').notNull(),
    /** When the indexer saw that the account was made at the service's cost; null while that may still happen. */
    paidAt: moment('paid_at'),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.mint] }),
    index('token_account_grants_signature').on(t.txSignature),
    index('token_account_grants_reserved').on(t.lastValidBlockHeight).where(sql`${t.paidAt} is null`),
    check('token_account_grants_mint', sql`char_length(${t.mint}) between 32 and 44`),
  ],
);

/** A grant that is held for a quote. */
export interface GrantReservation {
  userId: UserId;
  mint: string;
  txSignature: string;
  lastValidBlockHeight: bigint;
}

/** Holds the grant of a user and mint for one quote; false when it is held for another, or paid. */
export async function reserveGrant(tx: Tx, reservation: GrantReservation, at: Date): Promise<boolean> {
  const held = await tx
    .insert(tokenAccountGrants)
    .values({ ...reservation, createdAt: at })
    .onConflictDoNothing()
    .returning({ userId: tokenAccountGrants.userId });
  return held.length === 1;
}

/** Notes that the service paid in a transaction; the first one stays. Nothing for a wallet of no user. */
export async function settleGrant(
  tx: Tx,
  paid: { wallet: string; mint: string; txSignature: string },
  at: Date,
): Promise<void> {
  const moment = at.toISOString();
  await tx.execute(sql`
    insert into token_account_grants as g (user_id, mint, tx_signature, last_valid_block_height, created_at, paid_at)
    select id, ${paid.mint}, ${paid.txSignature}, 0, ${moment}::timestamptz, ${moment}::timestamptz
    from users where wallet_address = ${paid.wallet}
    on conflict (user_id, mint) do update set tx_signature = excluded.tx_signature, paid_at = excluded.paid_at
    where g.paid_at is null`);
}

/** Gives back the grant that was held for a transaction in which the service did not have to pay after all. */
export async function releaseGrant(tx: Tx, txSignature: string): Promise<void> {
  await tx
    .delete(tokenAccountGrants)
    .where(and(eq(tokenAccountGrants.txSignature, txSignature), isNull(tokenAccountGrants.paidAt)));
}

/** Grants that are held for transactions which cannot land above `height`, those of the oldest quotes first. */
export async function findReservationsExpiredBelow(
  db: Db | Tx,
  height: bigint,
  limit: number,
): Promise<GrantReservation[]> {
  const { userId, mint, txSignature, lastValidBlockHeight, paidAt } = tokenAccountGrants;
  return db
    .select({ userId, mint, txSignature, lastValidBlockHeight })
    .from(tokenAccountGrants)
    .where(and(isNull(paidAt), lt(lastValidBlockHeight, height)))
    .orderBy(asc(lastValidBlockHeight))
    .limit(limit);
}
