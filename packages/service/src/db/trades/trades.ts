import { eq, inArray, or, sql } from 'drizzle-orm';
import { boolean, check, index, integer, numeric, pgEnum, pgTable } from 'drizzle-orm/pg-core';
import type { TradeId, UserId, Uuid } from '../../domain/ids.js';
import { addressToBytes, type TxSignature, txSignatureOf, type WalletAddress } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { gold, hasBytes, int64, moment, prefixed, txSignature, usdc } from '../columns.js';
import { failure } from '../failure.js';
import { type Finality, finalityOf, holdUnfinalized, withFinality } from '../indexing/finality.js';
import { type Filter, findPageByValue, type PageOf } from '../page.js';
import { partnerId, partners } from '../partners/partners.js';
import { runPrepared } from '../prepared.js';
import { asRows } from '../rows.js';
import { isUserOf, userId, users } from '../users.js';

const tradeKey = prefixed('trd');

export const tradeSide = pgEnum('trade_side', ['buy', 'sell']);
export const tradeStatus = pgEnum('trade_status', ['confirmed', 'failed']);

/** Trades that the chain carries: written once, by the indexer alone. `rules.sql` has the constraint that a transaction has one. */
export const trades = pgTable(
  'trades',
  {
    // In the order in which they take the least room: what is aligned first, what has no fixed length last.
    usdcAmount: usdc('usdc_amount').notNull(),
    goldAmount: gold('gold_amount').notNull(),
    feeUsdc: usdc('fee_usdc').notNull(),
    slot: int64().notNull(),
    /** Number of the program's event for this partner; null for a failed trade, which makes none. */
    eventSeq: int64('event_seq'),
    createdAt: moment('created_at').notNull(),
    /** Null while nothing has changed since it was recorded. */
    updatedAt: moment('updated_at'),
    side: tradeSide().notNull(),
    status: tradeStatus().notNull(),
    feeBps: integer('fee_bps').notNull(),
    id: tradeKey().primaryKey(),
    partnerId: partnerId().notNull(),
    userId: userId().notNull(),
    /** USD per troy ounce at which the program executed; 0 for a failed trade. */
    pricePerTroyOz: numeric('price_per_troy_oz', { precision: 32, scale: 12 }).notNull(),
    txSignature: txSignature('tx_signature').notNull(),
    ...failure(),
    /** Whether it made the token account that it paid into. */
    madeAccount: boolean('made_account').notNull().default(false),
  },
  (t) => [
    index('trades_made_account').on(t.userId, t.createdAt).where(sql`${t.madeAccount}`),
    // Without the id behind: the trades of a batch have one time, which is then stored once.
    index('trades_created').on(t.side, t.status, t.createdAt),
    index('trades_partner_created').on(t.partnerId, t.side, t.status, t.createdAt),
    index('trades_user_created').on(t.userId, t.side, t.status, t.createdAt),
    // Trades are recorded nearly in the order of their slots, and are looked for by ranges of slots.
    index('trades_slot').using('brin', t.slot).with({ pages_per_range: 32, autosummarize: true }),
    check('trades_tx_signature_length', hasBytes(t.txSignature, 64)),
    check('trades_fee_bps_range', sql`${t.feeBps} between 0 and 10000`),
    check(
      'trades_amounts',
      sql`case ${t.status}
        when 'confirmed' then ${t.usdcAmount} > 0 and ${t.goldAmount} > 0 and ${t.pricePerTroyOz} > 0 and ${t.feeUsdc} >= 0
          and ${t.eventSeq} is not null and ${t.failureReason} is null and ${t.reason} is null
        else ${t.pricePerTroyOz} = 0 and ${t.feeUsdc} = 0 and ${t.feeBps} = 0 and ${t.eventSeq} is null and ${t.failureReason} is not null and ${t.reason} is not null
          and case ${t.side} when 'buy' then ${t.usdcAmount} > 0 and ${t.goldAmount} = 0 else ${t.goldAmount} > 0 and ${t.usdcAmount} = 0 end
        end`,
    ),
  ],
);

export type Trade = typeof trades.$inferSelect;
/** A trade without what the database and the clock add; one that made an account says so. */
export type TradeRecord = Omit<Trade, 'createdAt' | 'updatedAt' | 'madeAccount'> &
  Partial<Pick<Trade, 'madeAccount'>>;

export type SeenTrade = Trade & Finality;

export async function findTrade(db: Db | Tx, id: TradeId): Promise<SeenTrade | undefined> {
  const [found] = await db.select(withFinality(trades, 'trade')).from(trades).where(eq(trades.id, id));
  return found;
}

/** A page of the trades of all partners, or of one, newest first. */
export async function findTrades(
  db: Db | Tx,
  filter: Filter<typeof trades>,
  page: PageOf,
): Promise<SeenTrade[]> {
  const { userId: user, partnerId: partner, ...others } = filter;
  const values = { side: tradeSide.enumValues, status: tradeStatus.enumValues };
  const also = finalityOf(trades, 'trade');
  if (user === undefined || partner === undefined)
    return findPageByValue(db, trades, { filter, values, also }, page);
  if (!(await isUserOf(db, user, partner))) return [];
  return findPageByValue(db, trades, { filter: { ...others, userId: user }, values, also }, page);
}

/** Returns a trade as the database has it once it is written. */
export function asWritten(record: TradeRecord, at: Date): Trade {
  return { ...record, madeAccount: record.madeAccount ?? false, createdAt: at, updatedAt: null };
}

/**
 * Writes trades, and returns the transactions of those that were written: not of one whose id or transaction is taken.
 */
export async function insertTrades(tx: Tx, records: TradeRecord[], at: Date): Promise<Set<TxSignature>> {
  if (records.length === 0) return new Set();
  const given = asRows(
    trades,
    records.map((record) => asWritten(record, at)),
  );
  // Nearly always all of them are written, and then none has to be named.
  const [written] = await runPrepared<{ some: Uint8Array[] | null }>(
    tx,
    sql`
    with written as (
      insert into ${trades} (${given.columns}) select * from ${given.rows} on conflict do nothing returning tx_signature
    )
    select case when count(*) < ${records.length} then coalesce(array_agg(tx_signature), '{}') end as some from written`,
  );
  return new Set(written?.some?.map(txSignatureOf) ?? records.map(({ txSignature }) => txSignature));
}

/** Returns the rows that keep `record` from being written: of the same id or the same transaction. */
export function findTradesInTheWay(tx: Tx, record: TradeRecord): Promise<Trade[]> {
  const { id, txSignature } = trades;
  return tx
    .select()
    .from(trades)
    .where(or(eq(id, record.id), eq(txSignature, record.txSignature)));
}

/** Removes a trade whose transaction the chain does not carry after all; false when it is final or gone. */
export async function deleteTrade(tx: Tx, trade: Pick<Trade, 'id' | 'txSignature'>): Promise<boolean> {
  if (!(await holdUnfinalized(tx, 'trade', trade))) return false;
  const { count } = await tx.delete(trades).where(eq(trades.id, trade.id));
  return count === 1;
}

/** The owners of wallets by address, and which of these partners there are. */
export interface TradeParties {
  users: Map<WalletAddress, { id: UserId; partnerId: Uuid }>;
  partners: Set<Uuid>;
}

/** Returns the owners of wallets and of partner ids on chain: two queries, however many there are. */
export async function findTradeParties(
  db: Db | Tx,
  wallets: WalletAddress[],
  partnerIds: Uuid[],
): Promise<TradeParties> {
  const { id, partnerId, walletAddress } = users;
  const owners = await db
    .select({ id, partnerId, walletAddress })
    .from(users)
    .where(eq(walletAddress, sql`any(${sql.param([...new Set(wallets)].map(addressToBytes))}::bytea[])`));
  const known = new Set(owners.map((owner) => owner.partnerId));
  const others = [...new Set(partnerIds)].filter((other) => !known.has(other));
  // A partner that has a user is there.
  const found =
    others.length === 0
      ? []
      : await db.select({ id: partners.id }).from(partners).where(inArray(partners.id, others));
  return {
    users: new Map(owners.map(({ walletAddress: wallet, ...owner }) => [wallet, owner])),
    partners: new Set([...known, ...found.map((partner) => partner.id)]),
  };
}
