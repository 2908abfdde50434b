import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  numeric,
  pgEnum,
  pgTable,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import type { TradeId, UserId, Uuid } from '../domain/ids.js';
import { baseUnits, moment } from './columns.js';
import { partners } from './partners.js';
import { users } from './users.js';

export const tradeSide = pgEnum('trade_side', ['buy', 'sell']);
export const tradeStatus = pgEnum('trade_status', ['confirmed', 'failed']);

/** Trades that the chain carries: written once, by the indexer alone. */
export const trades = pgTable(
  'trades',
  {
    id: text().primaryKey().$type<TradeId>(),
    partnerId: uuid('partner_id')
      .notNull()
      .references(() => partners.id)
      .$type<Uuid>(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id)
      .$type<UserId>(),
    side: tradeSide().notNull(),
    status: tradeStatus().notNull(),
    usdcAmount: baseUnits('usdc_amount').notNull(),
    goldAmount: baseUnits('gold_amount').notNull(),
    /** USD per troy ounce at which the program executed; 0 for a failed trade. */
    pricePerTroyOz: numeric('price_per_troy_oz', { precision: 32, scale: 12 }).notNull(),
    feeBps: integer('fee_bps').notNull(),
    feeUsdc: baseUnits('fee_usdc').notNull(),
    /** Base58 signature of the transaction. */
    txSignature: text('tx_signature').notNull().unique('trades_tx_signature'),
    slot: baseUnits().notNull(),
    /** Number of the program's event for this partner; null for a failed trade, which makes none. */
    eventSeq: baseUnits('event_seq'),
    /** Why the chain refused a failed trade. */
    failureReason: text('failure_reason'),
    /** Whether the transaction was seen finalized; until then it is looked at again. */
    finalized: boolean().notNull().default(false),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    unique('trades_partner_event_seq').on(t.partnerId, t.eventSeq),
    index('trades_partner_created').on(t.partnerId, t.createdAt, t.id),
    index('trades_not_finalized').on(t.slot).where(sql`not ${t.finalized}`),
    check('trades_id', sql`${t.id} like 'trd\\_%'`),
    check('trades_fee_bps_range', sql`${t.feeBps} between 0 and 10000`),
    check(
      'trades_amounts',
      sql`case ${t.status}
        when 'confirmed' then ${t.usdcAmount} > 0 and ${t.goldAmount} > 0 and ${t.pricePerTroyOz} > 0 and ${t.feeUsdc} >= 0
          and ${t.eventSeq} is not null and ${t.failureReason} is null
        else ${t.pricePerTroyOz} = 0 and ${t.feeUsdc} = 0 and ${t.feeBps} = 0 and ${t.eventSeq} is null and ${t.failureReason} is not null
          and case ${t.side} when 'buy' then ${t.usdcAmount} > 0 and ${t.goldAmount} = 0 else ${t.goldAmount} > 0 and ${t.usdcAmount} = 0 end
        end`,
    ),
  ],
);
