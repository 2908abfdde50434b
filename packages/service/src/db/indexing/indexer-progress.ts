import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, text } from 'drizzle-orm/pg-core';
import { toInteger } from '../../domain/integer.js';
import type { Db, Tx } from '../client.js';
import { int64, moment } from '../columns.js';
import { advisoryLocks, isLockHeld } from '../locks.js';

/** One row: how far the chain is recorded. Times are of the clock of the database. */
export const indexerProgress = pgTable(
  'indexer_progress',
  {
    only: boolean().primaryKey().default(true),
    /** When the indexer last got through a whole round. */
    roundAt: moment('round_at').notNull(),
    /** Everything that was listed up to this slot is handled; a new leader lists from here on. -1: nothing is. */
    slot: int64().notNull(),
    /** Every event up to this slot of the finalized chain is recorded, by the numbers of the program; null before that is known. */
    completeSlot: int64('complete_slot'),
    /** Which event is missing, in a sentence, and since when; null while none is. */
    missing: text(),
    missingSince: moment('missing_since'),
  },
  (t) => [
    check('indexer_progress_only', sql`${t.only}`),
    check('indexer_progress_missing', sql`(${t.missing} is null) = (${t.missingSince} is null)`),
  ],
);

/** What the indexer that leads knows of its progress. */
export interface Progress {
  slot: bigint;
  completeSlot: bigint | undefined;
  missing: string | undefined;
}

/** Notes that a round is complete, and how far it came; no slot ever goes back. */
export async function noteProgress(tx: Tx, { slot, completeSlot, missing }: Progress): Promise<void> {
  const now = sql`clock_timestamp()`;
  const kept = indexerProgress;
  await tx
    .insert(indexerProgress)
    .values({
      roundAt: now,
      slot,
      completeSlot: completeSlot ?? null,
      missing: missing ?? null,
      missingSince: missing === undefined ? null : now,
    })
    .onConflictDoUpdate({
      target: kept.only,
      set: {
        roundAt: now,
        slot: sql`greatest(${kept.slot}, excluded.slot)`,
        completeSlot: sql`greatest(${kept.completeSlot}, excluded.complete_slot)`,
        missing: sql`excluded.missing`,
        missingSince: sql`case when excluded.missing is not null then coalesce(${kept.missingSince}, excluded.missing_since) end`,
      },
    });
}

/** Returns how far the chain is recorded, whichever process records it; undefined before the first round. */
export async function findProgress(
  db: Db | Tx,
): Promise<{ slot: bigint; completeSlot: bigint | undefined } | undefined> {
  const { slot, completeSlot } = indexerProgress;
  const [row] = await db.select({ slot, completeSlot }).from(indexerProgress);
  return row && { slot: row.slot, completeSlot: row.completeSlot ?? undefined };
}

/** How the indexing goes, as far as the database knows. */
export interface IndexingState {
  led: boolean;
  /** Since the last complete round of any process; undefined before the first. */
  lastRoundAgeMs: number | undefined;
  /** Which event of the program is missing, in a sentence, and for how long. */
  missing: { text: string; ageMs: number } | undefined;
}

/** Returns how the indexing goes: for processes that do not index themselves. */
export async function findIndexingState(db: Db | Tx): Promise<IndexingState> {
  const rows = await db.execute<{
    led: boolean;
    age_ms: string | null;
    missing: string | null;
    missing_ms: string | null;
  }>(sql`
    select ${isLockHeld(advisoryLocks.indexer)} as led, missing,
      extract(epoch from clock_timestamp() - round_at) * 1000 as age_ms,
      extract(epoch from clock_timestamp() - missing_since) * 1000 as missing_ms
    from (select 1) as one left join indexer_progress on true`);
  const { led = false, age_ms: ageMs = null, missing = null, missing_ms: missingMs = null } = rows[0] ?? {};
  return {
    led,
    lastRoundAgeMs: ageMs === null ? undefined : toInteger(ageMs),
    missing:
      missing === null || missingMs === null ? undefined : { text: missing, ageMs: toInteger(missingMs) },
  };
}
