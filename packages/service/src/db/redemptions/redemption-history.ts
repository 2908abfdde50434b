import { asc, eq, inArray, sql } from 'drizzle-orm';
import { check, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { newUuid, type RedemptionId, type Uuid } from '../../domain/ids.js';
import type { RedemptionStatus } from '../../domain/redemption.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { apiKeys } from '../keys/api-keys.js';
import { operators } from '../operators/operators.js';
import { redemptionStatus } from './redemption-status.js';
import { redemptions } from './redemptions.js';

/** Who moves a redemption: a partner's key, an operator, the indexer, or the sweep of lapsed quotes. */
export type RedemptionActor = `key:${Uuid}` | `operator:${string}` | 'indexer' | 'sweep';

/** Every move of every redemption, written in the transaction of the move, never changed, and deleted with its quote alone. */
export const redemptionHistory = pgTable(
  'redemption_history',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    redemptionId: text('redemption_id')
      .notNull()
      .references(() => redemptions.id)
      .$type<RedemptionId>(),
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
    check('redemption_history_actor', sql`${t.actor} ~ '^((key|operator):.{1,100}|indexer|sweep)$'`),
    check('redemption_history_note_length', sql`char_length(${t.note}) <= 1000`),
  ],
);

export interface HistoryEntry {
  at: Date;
  from: RedemptionStatus | null;
  to: RedemptionStatus;
  actor: RedemptionActor;
  note: string | null;
}

export async function insertHistoryEntry(
  tx: Tx,
  redemptionId: RedemptionId,
  entry: HistoryEntry,
): Promise<void> {
  await tx.insert(redemptionHistory).values({ id: newUuid(), redemptionId, ...entry });
}

/** Deletes what happened to quotes that are deleted. */
export async function deleteHistories(tx: Tx, ids: RedemptionId[]): Promise<void> {
  await tx.delete(redemptionHistory).where(inArray(redemptionHistory.redemptionId, ids));
}

/** An entry with the name of who made it: an operator's, or that of a partner's key; null for everything else. */
export type NamedHistoryEntry = HistoryEntry & { actorName: string | null };

/** What happened to a redemption, in its order, with names for people. */
export async function findHistory(db: Db | Tx, redemptionId: RedemptionId): Promise<NamedHistoryEntry[]> {
  const { at, from, to, actor, note } = redemptionHistory;
  const actorName = sql<string | null>`coalesce(${operators.name}, ${apiKeys.name})`;
  return db
    .select({ at, from, to, actor, note, actorName })
    .from(redemptionHistory)
    .leftJoin(operators, sql`${actor} = 'operator:' || ${operators.id}`)
    .leftJoin(apiKeys, sql`${actor} = 'key:' || ${apiKeys.id}`)
    .where(eq(redemptionHistory.redemptionId, redemptionId))
    .orderBy(asc(redemptionHistory.id));
}
