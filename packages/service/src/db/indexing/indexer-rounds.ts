import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, text } from 'drizzle-orm/pg-core';
import { toInteger } from '../../domain/integer.js';
import type { Address } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64, moment } from '../columns.js';
import { advisoryLocks, isLockHeld } from '../locks.js';

/** One row: when the indexer last got through a whole round, by the clock of the database. */
export const indexerRounds = pgTable(
  'indexer_rounds',
  {
    only: boolean().primaryKey().default(true),
    at: moment('at').notNull(),
    /** Slot up to which everything that the finalized chain carries of these accounts is recorded; null before that is known. */
    seenSlot: int64('seen_slot'),
    seenAccounts: text('seen_accounts').array().$type<Address[]>(),
  },
  (t) => [
    check('indexer_rounds_only', sql`${t.only}`),
    check('indexer_rounds_seen', sql`(${t.seenSlot} is null) = (${t.seenAccounts} is null)`),
  ],
);

/** How far everything that the finalized chain carries of some accounts is recorded. */
export interface SeenChain {
  slot: bigint;
  accounts: Address[];
}

/** Notes that a round is complete, and what is seen by now if that is known. */
export async function recordIndexerRound(tx: Tx, seen: SeenChain | undefined): Promise<void> {
  const at = sql`clock_timestamp()`;
  const news = seen && { seenSlot: seen.slot, seenAccounts: seen.accounts };
  await tx
    .insert(indexerRounds)
    .values({ at, ...news })
    .onConflictDoUpdate({ target: indexerRounds.only, set: { at, ...news } });
}

/** Returns what the indexer of whichever process has seen; undefined before that is known. */
export async function findSeenChain(db: Db | Tx): Promise<SeenChain | undefined> {
  const { seenSlot: slot, seenAccounts: accounts } = indexerRounds;
  const [row] = await db.select({ slot, accounts }).from(indexerRounds);
  return row && row.slot !== null && row.accounts !== null
    ? { slot: row.slot, accounts: row.accounts }
    : undefined;
}

export interface IndexingState {
  led: boolean;
  /** Since the last complete round of any process; undefined before the first. */
  lastRoundAgeMs: number | undefined;
}

/** Returns how the indexing goes, as far as the database knows: for processes that do not index themselves. */
export async function findIndexingState(db: Db | Tx): Promise<IndexingState> {
  const rows = await db.execute<{ led: boolean; age_ms: string | null }>(sql`
    select ${isLockHeld(advisoryLocks.indexer)} as led, (select extract(epoch from clock_timestamp() - at) * 1000 from indexer_rounds) as age_ms`);
  const { led = false, age_ms: ageMs = null } = rows[0] ?? {};
  return { led, lastRoundAgeMs: ageMs === null ? undefined : toInteger(ageMs) };
}
