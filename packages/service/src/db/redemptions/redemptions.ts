import { and, asc, count, desc, eq, gt, inArray, isNull, lt, not, sql } from 'drizzle-orm';
import { bigint, boolean, check, index, numeric, pgEnum, pgTable, text, unique } from 'drizzle-orm/pg-core';
import type { RedemptionId, UserId, Uuid } from '../../domain/ids.js';
import {
  cityKey,
  isOpen,
  type RedemptionStatus,
  reclaimableStatuses,
  redemptionStatuses,
  type VisibleRedemptionStatus,
  visibleRedemptionStatuses,
} from '../../domain/redemption.js';
import type { TxSignature } from '../../domain/solana.js';
import { guardedTransactions } from '../approvals/guarded-transactions.js';
import { denominations, grams } from '../catalogue/denominations.js';
import type { Db, Tx } from '../client.js';
import { address, baseUnits, gold, hasBytes, int64, moment, prefixed, txSignature } from '../columns.js';
import { canLandNoMore, type Ends } from '../ended.js';
import { type Failure, failure } from '../failure.js';
import { deadLetters } from '../indexing/dead-letters.js';
import { type Finality, finalityOf, withFinality } from '../indexing/finality.js';
import { apiKeys } from '../keys/api-keys.js';
import { behindHeight, findPageByValue, type ListOrder, type PageOf } from '../page.js';
import { partnerId } from '../partners/partners.js';
import { people, personId } from '../people/people.js';
import { changeRow } from '../rows.js';
import { isUserOf, userId } from '../users.js';

const redemptionKey = prefixed('red');

export const redemptionStatus = pgEnum('redemption_status', redemptionStatuses);

/**
 * Requests for physical gold, from the quote on. What was quoted is kept as it was quoted, whatever becomes of the
 * denomination, and with it what the chain has to show before the quote counts as paid.
 */
export const redemptions = pgTable(
  'redemptions',
  {
    id: redemptionKey().primaryKey(),
    partnerId: partnerId().notNull(),
    userId: userId().notNull(),
    status: redemptionStatus().notNull(),
    denominationId: text('denomination_id')
      .notNull()
      .references(() => denominations.id),
    /** Label of the denomination. */
    denomination: text().notNull(),
    weightG: grams('weight_g').notNull(),
    city: text().notNull(),
    cityKey: text('city_key').notNull(),
    /** USD per troy ounce. */
    spotPriceUsd: numeric('spot_price_usd', { precision: 32, scale: 12 }).notNull(),
    /** Dollars in millionths, as the next two. */
    goldValueUsd: baseUnits('gold_value_usd').notNull(),
    feeUsd: baseUnits('fee_usd').notNull(),
    totalUsd: baseUnits('total_usd').notNull(),
    /** GOLD, base units. */
    tokensRequired: gold('tokens_required').notNull(),
    /** Who has to pay, and the token account that has to receive it. */
    userWallet: address('user_wallet').notNull(),
    escrowAccount: address('escrow_account').notNull(),
    /** Signature of the service on the quote's transaction, which is its id. */
    quoteTxSignature: txSignature('quote_tx_signature').notNull().unique('redemptions_quote_tx_signature'),
    /** The transaction cannot land above this block height. */
    lastValidBlockHeight: int64('last_valid_block_height').notNull(),
    /** The transaction that landed, and in which slot. */
    txSignature: txSignature('tx_signature').unique('redemptions_tx_signature'),
    slot: int64(),
    /** From then on its user can take the tokens back on chain, by the event of the payment; null where none landed. */
    reclaimableAt: moment('reclaimable_at'),
    ...failure(),
    /**
     * Whether its tokens have left escrow or may still do so: that of its transactions one is pending or confirmed. A trigger in
     * `rules.sql` keeps it so.
     */
    settled: boolean().notNull().default(false),
    cancellationReason: text('cancellation_reason'),
    /** The operator who sees to it; null while none does. Keeps no other from moving it. */
    assigneeId: personId('assignee_id'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    index('redemptions_partner_created').on(t.partnerId, t.status, t.createdAt, t.id),
    index('redemptions_user_created').on(t.userId, t.status, t.createdAt, t.id),
    index('redemptions_user_city_created').on(t.userId, t.cityKey, t.status, t.createdAt, t.id),
    index('redemptions_city_created').on(t.cityKey, t.status, t.createdAt, t.id),
    index('redemptions_partner_city_created').on(t.partnerId, t.cityKey, t.status, t.createdAt, t.id),
    index('redemptions_status_created').on(t.status, t.createdAt, t.id),
    // Those that need a bar, for the stock.
    index('redemptions_waiting')
      .on(t.denominationId, t.cityKey)
      .where(sql`${t.status} in ('submitted', 'preparing', 'ready')`),
    index('redemptions_quoted').on(t.lastValidBlockHeight, t.id).where(sql`${t.status} = 'quoted'`),
    // Those whose tokens wait in escrow: few of many.
    index('redemptions_unsettled')
      .on(t.status, t.createdAt, t.id)
      .where(sql`${t.status} in ('cancelled', 'collected') and not ${t.settled}`),
    // Those of one operator, by status as the lists read them.
    index('redemptions_assigned')
      .on(t.assigneeId, t.status, t.createdAt, t.id)
      .where(sql`${t.assigneeId} is not null`),
    index('redemptions_lapsed').on(t.updatedAt, t.id).where(sql`${t.status} = 'lapsed'`),
    check(
      'redemptions_lengths',
      sql`${hasBytes(t.userWallet, 32)} and ${hasBytes(t.escrowAccount, 32)} and ${hasBytes(t.quoteTxSignature, 64)} and ${hasBytes(t.txSignature, 64)}`,
    ),
    check('redemptions_weight', sql`${t.weightG} > 0`),
    check(
      'redemptions_amounts',
      sql`${t.tokensRequired} > 0 and ${t.spotPriceUsd} > 0 and ${t.goldValueUsd} >= 0 and ${t.feeUsd} >= 0
        and ${t.totalUsd} = ${t.goldValueUsd} + ${t.feeUsd}`,
    ),
    check(
      'redemptions_landed',
      sql`(${t.status} in ('quoted', 'lapsed')) = (${t.txSignature} is null) and (${t.txSignature} is null) = (${t.slot} is null)`,
    ),
    check(
      'redemptions_reclaimable',
      sql`(${t.status} in ('quoted', 'lapsed', 'failed')) = (${t.reclaimableAt} is null)`,
    ),
    check(
      'redemptions_failure',
      sql`(${t.status} = 'failed') = (${t.failureReason} is not null) and (${t.failureReason} is null) = (${t.reason} is null)`,
    ),
    check(
      'redemptions_cancellation',
      sql`${t.cancellationReason} is null or (${t.status} in ('cancellation_requested', 'cancelled') and char_length(${t.cancellationReason}) <= 1000)`,
    ),
  ],
);

export const redemptionId = () => redemptionKey('redemption_id').references(() => redemptions.id);

/** Who moves a redemption: a partner's key, an operator, the indexer, or the sweep of lapsed quotes. */
export type RedemptionActor = `key:${Uuid}` | `member:${Uuid}` | `operator:${string}` | 'indexer' | 'sweep';

/** Every move of every redemption, written in the transaction of the move, never changed, and deleted with its quote alone. */
export const redemptionHistory = pgTable(
  'redemption_history',
  {
    /** In the order of the moves, whatever the clocks of the processes that made them: each holds the redemption's row. */
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    redemptionId: redemptionId().notNull(),
    at: moment('at').notNull(),
    /** Null for the quote, which comes from nowhere. */
    from: redemptionStatus('from_status'),
    to: redemptionStatus('to_status').notNull(),
    actor: text().notNull().$type<RedemptionActor>(),
    note: text(),
  },
  (t) => [
    // No state is entered twice, so this is also the index by redemption.
    unique('redemption_history_once').on(t.redemptionId, t.to),
    check('redemption_history_start', sql`(${t.from} is null) = (${t.to} = 'quoted')`),
    check('redemption_history_actor', sql`${t.actor} ~ '^((key|member|operator):.{1,100}|indexer|sweep)$'`),
    check('redemption_history_note_length', sql`char_length(${t.note}) <= 1000`),
  ],
);

/** A redemption, and whether its payment is final. */
export type Redemption = typeof redemptions.$inferSelect & Finality;
/** A redemption that callers may see. */
export type VisibleRedemption = Redemption & { status: VisibleRedemptionStatus };

/** A quote: everything that is known before its transaction lands. */
export type RedemptionQuote = Omit<
  Redemption,
  | 'status'
  | 'cityKey'
  | 'txSignature'
  | 'slot'
  | 'reclaimableAt'
  | keyof Failure
  | 'finalized'
  | 'settled'
  | 'cancellationReason'
  | 'assigneeId'
  | 'createdAt'
  | 'updatedAt'
>;

export type HistoryEntry = Omit<typeof redemptionHistory.$inferSelect, 'id' | 'redemptionId'>;

/** Who moves a redemption, when, and what they have to say about it. */
export type Move = Pick<HistoryEntry, 'at' | 'actor' | 'note'>;

/** Returns the redemptions of a user that have not ended, and quotes of some whose transactions may still land. */
export async function findOpenRedemptionsOf(
  tx: Tx,
  user: UserId,
): Promise<Pick<Redemption, 'id' | 'status'>[]> {
  const open = redemptionStatuses.filter(isOpen);
  return tx
    .select({ id: redemptions.id, status: redemptions.status })
    .from(redemptions)
    .where(and(eq(redemptions.userId, user), inArray(redemptions.status, open)))
    .orderBy(asc(redemptions.createdAt), asc(redemptions.id));
}

/** Writes a quote and the beginning of its history. */
export async function insertRedemption(tx: Tx, quote: RedemptionQuote, move: Move): Promise<void> {
  await tx.insert(redemptions).values({
    ...quote,
    status: 'quoted',
    cityKey: cityKey(quote.city),
    createdAt: move.at,
    updatedAt: move.at,
  });
  await insertHistoryEntry(tx, quote.id, { ...move, from: null, to: 'quoted' });
}

/**
 * Moves a redemption only if it is still in `from`, and writes the move into its history; false when another writer was
 * first. `facts` are what the new state brings with it.
 */
export async function moveRedemption(
  tx: Tx,
  id: RedemptionId,
  step: { from: RedemptionStatus; to: RedemptionStatus } & Move,
  facts: Partial<
    Pick<Redemption, 'txSignature' | 'slot' | 'reclaimableAt' | keyof Failure | 'cancellationReason'>
  > = {},
): Promise<boolean> {
  const { from, to, at, actor, note } = step;
  const moved = await tx
    .update(redemptions)
    .set({ ...facts, status: to, updatedAt: at })
    .where(and(eq(redemptions.id, id), eq(redemptions.status, from)))
    .returning({ id: redemptions.id });
  if (moved.length === 0) return false;
  await insertHistoryEntry(tx, id, { at, from, to, actor, note });
  return true;
}

/** Gives a redemption to an operator, or to none, if `from` still has it; false when another writer was first. */
export const updateAssignee = (
  tx: Tx,
  id: RedemptionId,
  { from, to }: { from: Uuid | null; to: Uuid | null },
): Promise<boolean> =>
  changeRow(
    tx,
    redemptions,
    { assigneeId: to },
    and(
      eq(redemptions.id, id),
      from === null ? isNull(redemptions.assigneeId) : eq(redemptions.assigneeId, from),
    ),
  );

/** The redemption of that id, of any partner and in any state. */
export async function findRedemption(db: Db | Tx, id: RedemptionId): Promise<Redemption | undefined> {
  const [found] = await db
    .select(withFinality(redemptions, 'redemption'))
    .from(redemptions)
    .where(eq(redemptions.id, id));
  return found;
}

export interface RedemptionFilter {
  partnerId?: Uuid | undefined;
  userId?: UserId | undefined;
  status?: VisibleRedemptionStatus | undefined;
  /** In any case. */
  city?: string | undefined;
  /** Only cancelled and collected ones: whose tokens have left escrow or are about to, or whose tokens wait there. */
  settled?: boolean | undefined;
  /** Only those that this operator sees to, or that none does. */
  assignee?: Uuid | 'none' | undefined;
}

const isSettled = sql`${redemptions.settled}`;

/** What ends a redemption and leaves tokens in escrow, to be refunded or burned. */
const settledStatuses = ['cancelled', 'collected'] as const;

/**
 * Returns a page of the redemptions of all partners, or of one, newest first by default, without those that callers may
 * not see.
 */
export async function findRedemptions(
  db: Db | Tx,
  filter: RedemptionFilter,
  page: PageOf & { order?: ListOrder | undefined },
): Promise<VisibleRedemption[]> {
  const { city, settled, assignee, ...whose } = filter;
  const named = assignee === 'none' ? whose : { ...whose, assigneeId: assignee };
  const { userId: user, partnerId: partner, ...others } = named;
  const both = user !== undefined && partner !== undefined;
  if (both && !(await isUserOf(db, user, partner))) return [];
  const own = both ? { ...others, userId: user } : named;
  if (settled !== undefined && own.status && !settledStatuses.some((status) => status === own.status))
    return [];
  const wanted = {
    filter: { ...own, cityKey: city && cityKey(city) },
    values: { status: settled === undefined ? visibleRedemptionStatuses : settledStatuses },
    variant: `${settled ?? ''} ${assignee === 'none'}`,
    conditions: [
      settled === undefined ? undefined : settled ? isSettled : not(isSettled),
      assignee === 'none' ? isNull(redemptions.assigneeId) : undefined,
    ],
    also: finalityOf(redemptions, 'redemption'),
  };
  return (await findPageByValue(db, redemptions, wanted, page)) as VisibleRedemption[];
}

/**
 * Returns the redemption that has waited for the largest part of the time after which its own user can reclaim the tokens;
 * undefined while none waits.
 */
export async function findLongestWaiting(
  db: Db | Tx,
  now: Date,
): Promise<{ id: RedemptionId; createdAt: Date; reclaimableAt: Date } | undefined> {
  const { id, createdAt, reclaimableAt, status, settled } = redemptions;
  const passed = sql`extract(epoch from ${now}::timestamptz - ${createdAt}) / extract(epoch from ${reclaimableAt} - ${createdAt})`;
  const [longest] = await db
    .select({ id, createdAt, reclaimableAt })
    .from(redemptions)
    .where(and(inArray(status, reclaimableStatuses), not(settled)))
    .orderBy(desc(passed), asc(id))
    .limit(1);
  return longest?.reclaimableAt ? { ...longest, reclaimableAt: longest.reclaimableAt } : undefined;
}

/** What the sweep has to know of a quote. */
export interface OpenQuote {
  id: RedemptionId;
  /** Of the transaction as it was quoted, and of the one with guards if there is one. */
  txSignatures: TxSignature[];
  lastValidBlockHeight: bigint;
}

/** Returns quotes that nothing has come of and whose transactions can land no more, from one on, oldest first. */
export async function findEndedQuotes(
  db: Db | Tx,
  ends: Ends,
  page: { limit: number; after: OpenQuote | undefined },
): Promise<OpenQuote[]> {
  const { id, quoteTxSignature, lastValidBlockHeight } = redemptions;
  const { after } = page;
  const from = after && { height: after.lastValidBlockHeight, id: after.id };
  const found = await db
    .select({ id, quoteTxSignature, lastValidBlockHeight, guarded: guardedTransactions.txSignature })
    .from(redemptions)
    .leftJoin(guardedTransactions, eq(guardedTransactions.quoteId, id))
    .where(
      and(
        eq(redemptions.status, 'quoted'),
        canLandNoMore(redemptions, ends),
        behindHeight(lastValidBlockHeight, id, from),
      ),
    )
    .orderBy(asc(lastValidBlockHeight), asc(id))
    .limit(page.limit);
  return found.map(({ quoteTxSignature: quoted, guarded, ...quote }) => ({
    ...quote,
    txSignatures: guarded === null ? [quoted] : [quoted, guarded],
  }));
}

/** A redemption whose transaction has landed. */
export type LandedRedemption = Redemption & { txSignature: TxSignature; slot: bigint };

/** Returns a redemption whose transaction has landed; undefined before. */
export async function findLandedRedemption(
  db: Db | Tx,
  id: RedemptionId,
): Promise<LandedRedemption | undefined> {
  const redemption = await findRedemption(db, id);
  return redemption?.slot == null ? undefined : (redemption as LandedRedemption);
}

/**
 * Deletes quotes that lapsed before a time, with their history, those that lapsed first before others, and returns how many.
 * Keeps those that a dead letter names. Skips what another process holds.
 */
export async function deleteLapsedQuotes(
  tx: Tx,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const named = tx
    .select({ one: sql`1` })
    .from(deadLetters)
    .where(
      and(
        isNull(deadLetters.resolvedAt),
        sql`${deadLetters.detail} ->> 'redemption_id' = 'red_' || ${redemptions.id}`,
      ),
    );
  const old = tx
    .select({ id: redemptions.id })
    .from(redemptions)
    .where(and(eq(redemptions.status, 'lapsed'), lt(redemptions.updatedAt, before), sql`not exists ${named}`))
    .orderBy(asc(redemptions.updatedAt), asc(redemptions.id))
    .limit(limit)
    .for('update', { skipLocked: true });
  const ids = (await old).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await deleteHistories(tx, ids);
  await tx.delete(redemptions).where(inArray(redemptions.id, ids));
  return ids.length;
}

/** Returns how many quotes of a partner can land above a block height; counts no further than `most`. */
export async function countOpenQuotes(
  db: Db | Tx,
  partnerId: Uuid,
  height: bigint,
  most: number,
): Promise<number> {
  const some = db
    .select({ id: redemptions.id })
    .from(redemptions)
    .where(
      and(
        eq(redemptions.status, 'quoted'),
        gt(redemptions.lastValidBlockHeight, height),
        eq(redemptions.partnerId, partnerId),
      ),
    )
    .limit(most)
    .as('some');
  const [row] = await db.select({ open: count() }).from(some);
  return row?.open ?? 0;
}

async function insertHistoryEntry(tx: Tx, redemptionId: RedemptionId, entry: HistoryEntry): Promise<void> {
  await tx.insert(redemptionHistory).values({ redemptionId, ...entry });
}

/** Deletes what happened to quotes that are deleted. */
async function deleteHistories(tx: Tx, ids: RedemptionId[]): Promise<void> {
  await tx.delete(redemptionHistory).where(inArray(redemptionHistory.redemptionId, ids));
}

/** An entry with the name of who made it: an operator's, or that of a partner's key; null for everything else. */
export type NamedHistoryEntry = HistoryEntry & { actorName: string | null };

/** Returns what happened to a redemption, in its order, with names for people. */
export async function findHistory(db: Db | Tx, redemptionId: RedemptionId): Promise<NamedHistoryEntry[]> {
  const { at, from, to, actor, note } = redemptionHistory;
  const actorName = sql<string | null>`coalesce(${people.name}, ${apiKeys.name})`;
  return db
    .select({ at, from, to, actor, note, actorName })
    .from(redemptionHistory)
    .leftJoin(people, sql`${actor} in ('operator:' || ${people.id}, 'member:' || ${people.id})`)
    .leftJoin(apiKeys, sql`${actor} = 'key:' || ${apiKeys.id}`)
    .where(eq(redemptionHistory.redemptionId, redemptionId))
    .orderBy(asc(redemptionHistory.id));
}
