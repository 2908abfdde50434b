import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { check, pgTable, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64, samePartner } from '../columns.js';
import { lockProgramEvents, type ProgramEvent, programEvents } from './program-events.js';

/**
 * Up to which number the events of each counter of the program are recorded without a gap: of each partner's integrator, and of
 * the configuration. Only what is known once; it can be counted again from `program_events`.
 */
export const programCounters = pgTable(
  'program_counters',
  {
    partnerId: uuid('partner_id').primaryKey().$type<Uuid>(),
    completeSeq: int64('complete_seq').notNull(),
  },
  (t) => [check('program_counters_seq', sql`${t.completeSeq} >= 0`)],
);

/** Returns up to which number each counter is recorded without a gap, as far as that was noted. */
export async function findProgramCounters(db: Db | Tx): Promise<Map<Uuid, bigint>> {
  const rows = await db.select().from(programCounters);
  return new Map(rows.map(({ partnerId, completeSeq }) => [partnerId, completeSeq]));
}

/** Notes that an event is no longer recorded. */
export async function lowerProgramCounter(
  tx: Tx,
  { partnerId, seq }: Pick<ProgramEvent, 'partnerId' | 'seq'>,
): Promise<void> {
  await tx
    .update(programCounters)
    .set({ completeSeq: seq - 1n })
    .where(
      and(
        eq(programCounters.partnerId, partnerId),
        sql`${programCounters.completeSeq} >= ${seq.toString()}::bigint`,
      ),
    );
}

/**
 * Counts up to which number a partner's events are recorded without a gap, notes it and returns it. Those up to the number that was
 * noted are known to be; the others are read in their order, and no further than to the gap. No event comes or goes meanwhile.
 */
export async function countComplete(tx: Tx, partnerId: Uuid): Promise<bigint> {
  await lockProgramEvents(tx);
  const from = (await findProgramCounters(tx)).get(partnerId) ?? 0n;
  const completeSeq = await findCompleteSeq(tx, partnerId, from);
  await tx
    .insert(programCounters)
    .values({ partnerId, completeSeq })
    .onConflictDoUpdate({ target: programCounters.partnerId, set: { completeSeq } });
  return completeSeq;
}

async function findCompleteSeq(tx: Tx, partnerId: Uuid, from: bigint): Promise<bigint> {
  const { seq } = programEvents;
  const rows = await tx.execute<{ seq: string }>(sql`
    select seq from (
      select seq, lead(seq) over (order by seq) as next from ${programEvents}
      where ${samePartner(programEvents.partnerId, sql`${partnerId}::uuid`)} and ${seq} > ${from.toString()}::bigint
    ) as numbered
    where next is distinct from seq + 1 order by seq limit 1`);
  const last = rows[0]?.seq;
  if (last === undefined) return from;
  const next = await findEventAbove(tx, partnerId, from);
  return next?.seq === from + 1n ? BigInt(last) : from;
}

/** Where an event was recorded. */
export interface RecordedEvent {
  seq: bigint;
  txSignature: TxSignature;
  slot: bigint;
}

/** Returns the first recorded event of a partner above a number; undefined where there is none. */
export async function findEventAbove(
  db: Db | Tx,
  partnerId: Uuid,
  above: bigint,
): Promise<RecordedEvent | undefined> {
  const { seq, txSignature, slot } = programEvents;
  const [event] = await db
    .select({ seq, txSignature, slot })
    .from(programEvents)
    .where(and(samePartner(programEvents.partnerId, sql`${partnerId}::uuid`), gt(seq, above)))
    .orderBy(asc(seq))
    .limit(1);
  return event;
}

/** Returns where an event was recorded; undefined while it is not. */
export async function findEventAt(
  db: Db | Tx,
  partnerId: Uuid,
  number: bigint,
): Promise<RecordedEvent | undefined> {
  const { seq, txSignature, slot } = programEvents;
  const [event] = await db
    .select({ seq, txSignature, slot })
    .from(programEvents)
    .where(and(samePartner(programEvents.partnerId, sql`${partnerId}::uuid`), eq(seq, number)));
  return event;
}
