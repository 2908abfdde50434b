import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, text } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';
import { baseUnits, moment } from './columns.js';
import { advisoryLocks, isLockHeld } from './locks.js';

/** One row: when the indexer last got through a whole round, by the clock of the database. */
export const indexerRounds = pgTable(
  'indexer_rounds',
  {
    only: boolean().primaryKey().default(true),
    at: moment('at').notNull(),
    /** Slot up to which everything that the finalized chain carries of these accounts is recorded; null before that is known. */
    seenSlot: baseUnits('seen_slot'),
    seenAccounts: text('seen_accounts').array(),
  },
  (t) => [
    check('indexer_rounds_only', sql`${t.only}`),
    check('indexer_rounds_seen', sql`(${t.seenSlot} is null) = (${t.seenAccounts} is null)`),
  ],
);

/** Notes that a round is complete. */
export async function recordIndexerRound(tx: Tx): Promise<void> {
  await tx.execute(sql`
    insert into indexer_rounds ("only", at) values (true, clock_timestamp())
    on conflict ("only") do update set at = excluded.at`);
}

export interface IndexingState {
  /** Whether some process leads the indexing. */
  led: boolean;
  /** Since the last complete round of any process; undefined before the first. */
  lastRoundAgeMs: number | undefined;
}

/** How the indexing goes, as far as the database knows: for processes that do not index themselves. */
export async function findIndexingState(db: Db | Tx): Promise<IndexingState> {
  const rows = await db.execute<{ led: boolean; age_ms: string | null }>(sql`
    select ${isLockHeld(advisoryLocks.indexer)} as led, (select extract(epoch from clock_timestamp() - at) * 1000 from indexer_rounds) as age_ms`);
  const { led = false, age_ms: ageMs = null } = rows[0] ?? {};
  return { led, lastRoundAgeMs: ageMs === null ? undefined : Number(ageMs) };
}
