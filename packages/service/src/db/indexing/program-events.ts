import { and, asc, count, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import { pgView, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { type Uuid, uuidFromBytes } from '../../domain/ids.js';
import type { SignerMark } from '../../domain/service-signers.js';
import type { TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { int64, moment, samePartner, txSignature } from '../columns.js';
import { advisoryLocks } from '../locks.js';

/**
 * Every event of the program by its number, so that a gap shows whatever the order in which events arrive: the rows of
 * `chain_effects` that have one. The partner id comes from the chain and is zero for events of the program's configuration.
 */
export const programEvents = pgView('program_events', {
  partnerId: uuid('partner_id').notNull().$type<Uuid>(),
  seq: int64().notNull(),
  /** Discriminator of the instruction that made the event. */
  kind: smallint().notNull(),
  txSignature: txSignature('tx_signature').notNull(),
  slot: int64().notNull(),
  /** The service signers that came and went, of an event that changed them. */
  serviceSigners: text('service_signers').array().$type<SignerMark[]>(),
  createdAt: moment('created_at').notNull(),
}).existing();

export type ProgramEvent = Omit<typeof programEvents.$inferSelect, 'createdAt' | 'serviceSigners'> & {
  serviceSigners?: SignerMark[] | null | undefined;
};

/** A change of the program's service signers. */
export interface SignerChange {
  seq: bigint;
  slot: bigint;
  marks: readonly SignerMark[];
}

/**
 * Until the transaction ends, no other transaction that takes this lock writes events: of two that write neighbours at
 * once, each would miss the other's. It must be taken first, so that its holder never waits for a row of those that
 * wait for it.
 */
export async function lockProgramEvents(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${advisoryLocks.programEvents}::bigint)`);
}

/** Text that an event's number has alone. */
export function eventKey(partnerId: Uuid, seq: bigint): string {
  return `${partnerId} ${seq}`;
}

/** Returns every change of the program's service signers, as far as its events are known; oldest first. */
export async function findSignerChanges(db: Db | Tx): Promise<SignerChange[]> {
  const { seq, slot, serviceSigners } = programEvents;
  const found = await db
    .select({ seq, slot, marks: serviceSigners })
    .from(programEvents)
    .where(isNotNull(serviceSigners))
    .orderBy(asc(seq));
  return found.map(({ marks, ...change }) => ({ ...change, marks: marks ?? [] }));
}

/** Counts the events of some kinds that were recorded since then; a kind without any is left out. */
export async function countEventsSince(
  db: Db | Tx,
  kinds: number[],
  since: Date,
): Promise<{ kind: number; count: number }[]> {
  const { kind, createdAt } = programEvents;
  return db
    .select({ kind, count: count() })
    .from(programEvents)
    .where(and(inArray(kind, kinds), gt(createdAt, since)))
    .groupBy(kind);
}

/** Returns the transactions that made these events, by `eventKey`: those that are known. */
export async function findEventSignatures(
  db: Db | Tx,
  events: Pick<ProgramEvent, 'partnerId' | 'seq'>[],
): Promise<Map<string, TxSignature>> {
  if (events.length === 0) return new Map();
  const partnerIds = sql.param(events.map(({ partnerId }) => partnerId));
  const numbers = sql.param(events.map(({ seq }) => seq.toString()));
  const { partnerId, seq, txSignature } = programEvents;
  const found = await db
    .select({ partnerId, seq, txSignature })
    .from(programEvents)
    .innerJoin(
      sql`unnest(${partnerIds}::uuid[], ${numbers}::bigint[]) as wanted (partner_id, seq)`,
      and(samePartner(partnerId, sql`wanted.partner_id`), eq(seq, sql`wanted.seq`)),
    );
  return new Map(found.map((event) => [eventKey(event.partnerId, event.seq), event.txSignature]));
}

/** The partner id of events that the program's configuration counts, those of redemptions among them. */
export const configEvents = uuidFromBytes(new Uint8Array(16));
