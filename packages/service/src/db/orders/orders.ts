import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgEnum,
  pgTable,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { orderKinds, orderMove, orderStatuses, vaultTokens } from '../../domain/order.js';
import type { WalletAddress } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import {
  address,
  gold,
  hasBytes,
  int64,
  moment,
  statusIn,
  txSignature,
  usdc,
  usdcLimit,
} from '../columns.js';
import { failure } from '../failure.js';
import { type Finality, finalityOf, withFinality } from '../indexing/finality.js';
import { apiKeys } from '../keys/api-keys.js';
import { type Filter, findPageByValue, type PageOf } from '../page.js';
import { type Partner, partnerId, partners } from '../partners/partners.js';

export const orderKind = pgEnum('order_kind', orderKinds);
export const orderStatus = pgEnum('order_status', orderStatuses);
export const vaultToken = pgEnum('vault_token', vaultTokens);

/**
 * What partners do with their vaults and authorities, one row an order. An order is written when its transaction is
 * built; one that an authority made without the service is written when the chain shows it, so that every movement of a
 * vault has its row.
 */
export const orders = pgTable(
  'orders',
  {
    /** What the program takes as the order's id, but of a change of executives. */
    id: uuid().primaryKey().$type<Uuid>(),
    kind: orderKind().notNull(),
    status: orderStatus().notNull(),
    partnerId: partnerId().notNull(),
    /** The key that requested it; null for what reached the chain without the service. */
    keyId: uuid('key_id')
      .references(() => apiKeys.id)
      .$type<Uuid>(),
    /** The one wallet that signs and pays the fee. */
    signer: address().notNull(),
    /** Accounts that the transaction has to name: integrator, and where tokens go for a withdrawal. */
    integrator: address().notNull(),
    destination: address(),
    /** GOLD and USDC in base units, as requested and quoted; what does not apply is null. */
    goldAmount: gold('gold_amount'),
    usdcAmount: usdc('usdc_amount'),
    /** The most USDC of a purchase, the least of a sale. */
    usdcLimit: usdcLimit('usdc_limit'),
    /** The least USDC of a purchase, the most of a sale, beyond which the price has moved against the treasury. */
    treasuryLimit: usdcLimit('treasury_limit'),
    /** Which token a withdrawal moves, by `gold_amount` or `usdc_amount`. */
    token: vaultToken(),
    /** Base58 addresses of a change of executive authorities. */
    added: text().array().$type<WalletAddress[]>(),
    removed: text().array().$type<WalletAddress[]>(),
    /** USD per troy ounce at the time of the quote. */
    quotedPrice: numeric('quoted_price', { precision: 32, scale: 12 }),
    /** Highest fee that the transaction accepts, in basis points. */
    maxFeeBps: integer('max_fee_bps'),
    metadata: jsonb().$type<Record<string, unknown>>(),
    /** Nothing that the service built or sent for it can land above this block height; null for what reached the chain without the service. */
    lastValidBlockHeight: int64('last_valid_block_height'),
    expiresAt: moment('expires_at'),
    /** The transaction that landed, and what it executed. */
    txSignature: txSignature('tx_signature'),
    slot: int64(),
    executedGold: gold('executed_gold'),
    executedUsdc: usdc('executed_usdc'),
    feeUsdc: usdc('fee_usdc'),
    executedPrice: numeric('executed_price', { precision: 32, scale: 12 }),
    /** Number of the program's event for this partner. */
    eventSeq: int64('event_seq'),
    ...failure(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    unique('orders_partner_event_seq').on(t.partnerId, t.eventSeq),
    index('orders_partner_created').on(t.partnerId, t.kind, t.status, t.createdAt, t.id),
    index('orders_created').on(t.kind, t.status, t.createdAt, t.id),
    // No unique one: a transaction may carry several calls that each move a vault.
    index('orders_tx_signature').on(t.txSignature),
    index('orders_pending').on(t.lastValidBlockHeight, t.id).where(openOrder(t)),
    check(
      'orders_lengths',
      sql`${hasBytes(t.signer, 32)} and ${hasBytes(t.integrator, 32)} and ${hasBytes(t.destination, 32)} and ${hasBytes(t.txSignature, 64)}`,
    ),
    check(
      'orders_landed',
      sql`(${t.status} in ('confirmed', 'failed')) = (${t.txSignature} is not null) and (${t.txSignature} is null) = (${t.slot} is null)`,
    ),
    check(
      'orders_executed',
      sql`(${t.status} = 'confirmed') = (${t.eventSeq} is not null) and (case
        when ${t.status} <> 'confirmed' or ${t.kind} = 'executive_update'
          then num_nonnulls(${t.executedGold}, ${t.executedUsdc}, ${t.feeUsdc}, ${t.executedPrice}) = 0
        when ${t.kind} = 'withdrawal'
          then num_nonnulls(${t.feeUsdc}, ${t.executedPrice}) = 0 and num_nonnulls(${t.executedGold}, ${t.executedUsdc}) = 1
            and case ${t.token} when 'gold' then ${t.executedGold} else ${t.executedUsdc} end > 0
        else ${t.executedGold} > 0 and ${t.executedUsdc} > 0 and ${t.feeUsdc} >= 0 and ${t.executedPrice} > 0
        end) is true`,
    ),
    check(
      'orders_failure',
      sql`(${t.status} = 'failed') = (${t.failureReason} is not null) and (${t.failureReason} is null) = (${t.reason} is null)`,
    ),
    check(
      'orders_shape',
      sql`(case ${t.kind}
        when 'purchase' then ${t.goldAmount} > 0 and ${t.usdcLimit} is not null
        when 'sale' then ${t.goldAmount} > 0 and ${t.usdcLimit} is not null
        when 'withdrawal' then ${t.token} is not null and ${t.destination} is not null
          and coalesce(${t.goldAmount}, ${t.usdcAmount}) > 0 and (${t.goldAmount} is null) = (${t.token} = 'usdc')
        else cardinality(${t.added}) + cardinality(${t.removed}) > 0
        end) is true`,
    ),
  ],
);

/** Condition: the order waits for its transaction. */
export function openOrder({ status }: { status: AnyPgColumn }): SQL {
  return statusIn(status, orderMove('expire').from);
}

export type Order = typeof orders.$inferSelect;
/** An order, and whether what it executed is final. */
export type SeenOrder = Order & Finality;

/** An order as it is written down when its transaction is built. */
export type NewOrder = Omit<typeof orders.$inferInsert, 'status' | 'updatedAt'> & { keyId: Uuid };

export async function insertOrder(tx: Tx, order: NewOrder): Promise<void> {
  await tx.insert(orders).values({ ...order, status: 'pending_signature', updatedAt: order.createdAt });
}

export async function findOrderToSubmit(
  db: Db | Tx,
  id: Uuid,
): Promise<{ order: Order; partnerStatus: Partner['status'] } | undefined> {
  const [found] = await db
    .select({ order: orders, partnerStatus: partners.status })
    .from(orders)
    .innerJoin(partners, eq(partners.id, orders.partnerId))
    .where(eq(orders.id, id));
  return found;
}

/** Keeps an order waiting until nothing can land any more that is sent for it now. */
export async function prolongOrder(tx: Tx, id: Uuid, lastValidBlockHeight: bigint): Promise<void> {
  await tx
    .update(orders)
    .set({ lastValidBlockHeight })
    .where(and(eq(orders.id, id), lt(orders.lastValidBlockHeight, lastValidBlockHeight)));
}

/** Returns an order of any partner and kind, in any state. */
export async function findOrder(db: Db | Tx, id: Uuid): Promise<SeenOrder | undefined> {
  const [found] = await db.select(withFinality(orders, 'order')).from(orders).where(eq(orders.id, id));
  return found;
}

/** A page of the orders of all partners, or of one, newest first. */
export const findOrders = (db: Db | Tx, filter: Filter<typeof orders>, page: PageOf) =>
  findPageByValue(
    db,
    orders,
    {
      filter,
      values: { kind: orderKinds, status: orderStatuses },
      also: finalityOf(orders, 'order'),
    },
    page,
  );
