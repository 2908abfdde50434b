import { and, asc, desc, eq, getTableColumns, lte, type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  check,
  index,
  type PgTable,
  pgEnum,
  pgTable,
  primaryKey,
  uuid,
} from 'drizzle-orm/pg-core';
import { type Id, type Prefix, type Uuid, uuidOf } from '../../domain/ids.js';
import { signatureToBytes, type TxSignature } from '../../domain/solana.js';
import type { Db, Tx } from '../client.js';
import { hasBytes, int64, moment, txSignature } from '../columns.js';

/** The kinds of records that are watched until the chain can no longer undo them. */
export const watchedRecords = ['trade', 'redemption', 'order', 'operator_transaction'] as const;
export type WatchedRecord = (typeof watchedRecords)[number];
export const watchedRecord = pgEnum('watched_record', watchedRecords);

/**
 * The records whose transactions have landed and are not known to be final, each as long as that is so. A landed record
 * that is not here is final: so becoming final writes nothing to its own table, which is large and has many indexes.
 * Triggers in `rules.sql` put every record here in the statement that has it land, whatever writes it.
 */
export const unfinalized = pgTable(
  'unfinalized',
  {
    /** Of the record, without prefix. */
    id: uuid().notNull().$type<Uuid>(),
    slot: int64().notNull(),
    /** When the record landed, by the clock of the process that wrote it. */
    landedAt: moment('landed_at').notNull(),
    /**
     * When it is looked at next. The epoch for one that was never looked at, so that those which cannot be resolved never
     * stand before new ones.
     */
    checkAt: moment('check_at').notNull().default(sql`'epoch'`),
    kind: watchedRecord().notNull(),
    /** Whether the transaction moved nothing. */
    failed: boolean().notNull(),
    txSignature: txSignature('tx_signature').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.kind] }),
    index('unfinalized_due').on(t.kind, t.checkAt, t.slot),
    index('unfinalized_slot').on(t.slot),
    check('unfinalized_signature_length', hasBytes(t.txSignature, 64)),
  ],
);

/** A record whose transaction has landed and is not known to be final. */
export type Unfinalized = typeof unfinalized.$inferSelect;

/** What distinguishes a record that has landed from what it may have become since. */
export interface Landed {
  id: Uuid | Id<Prefix>;
  txSignature: TxSignature;
}

/** A table of records that land; `slot` is null before. */
export type LandingTable = PgTable & Record<'id' | 'slot' | 'createdAt' | 'updatedAt', AnyPgColumn>;

/** Whether a record is final. */
export interface Finality {
  /** Whether its transaction has landed and can no longer be undone by the chain. */
  finalized: boolean;
}

/** Returns what to select of a table of records to know whether each is final. */
export const finalityOf = (table: LandingTable, kind: WatchedRecord) => ({
  finalized: sql<boolean>`${isFinal(table, kind)}`.as('finalized'),
});

/** Returns all columns of a table of records for a select, and with them whether each record is final. */
export function withFinality<Table extends LandingTable>(table: Table, kind: WatchedRecord) {
  return { ...getTableColumns(table), ...finalityOf(table, kind) };
}

/** Condition: a record has landed and is final. */
export const isFinal = (table: LandingTable, kind: WatchedRecord): SQL =>
  // Written out, because drizzle leaves out the names of tables where it reads a single one.
  sql`(${qualified(table.slot)} is not null and not (${isWatched(table, kind)}))`;

/** Condition: a record has landed and is not known to be final. */
export const isWatched = (table: LandingTable, kind: WatchedRecord): SQL =>
  // No EXISTS, for which PostgreSQL may read all entries, as for a page of a list after an outage.
  sql`(select true from unfinalized where unfinalized.id = ${qualified(table.id)}
    and unfinalized.kind = ${sql.raw(`'${kind}'`)}) is not null`;

const qualified = (column: AnyPgColumn): SQL => sql`${column.table}.${sql.identifier(column.name)}`;

/** Returns the kinds of which a record is due. */
export async function findDueKinds(db: Db | Tx, now: Date): Promise<WatchedRecord[]> {
  const rows = await db.execute<{ kind: WatchedRecord }>(sql`
    select kind from unnest(enum_range(null::watched_record)) as kind
    where exists (select from unfinalized where unfinalized.kind = kind.kind and check_at <= ${now.toISOString()}::timestamptz)`);
  return rows.map(({ kind }) => kind);
}

/**
 * Returns records of a kind that have landed, are not final and are due: those that wait longest first, new ones before
 * all others.
 */
export async function findDueRecords(
  db: Db | Tx,
  kind: WatchedRecord,
  { finalSlot, now, limit }: { finalSlot: bigint; now: Date; limit: number },
): Promise<Unfinalized[]> {
  const { slot, checkAt } = unfinalized;
  return db
    .select()
    .from(unfinalized)
    .where(and(eq(unfinalized.kind, kind), lte(slot, finalSlot), lte(checkAt, now)))
    .orderBy(asc(checkAt), asc(slot))
    .limit(limit);
}

/** Returns a record that was never looked at, of those up to a slot the one in the highest; undefined for none. */
export async function findHighestNew(db: Db | Tx, slot: bigint): Promise<Unfinalized | undefined> {
  const [row] = await db
    .select()
    .from(unfinalized)
    .where(and(eq(unfinalized.checkAt, new Date(0)), lte(unfinalized.slot, slot)))
    .orderBy(desc(unfinalized.slot))
    .limit(1);
  return row;
}

/** A transaction of the finalized chain. */
export interface FinalTransaction {
  signature: TxSignature;
  slot: bigint;
  failed: boolean;
}

/**
 * Makes final as `markFinalized` does the records of transactions that the finalized chain has in the slot and with the
 * outcome that were recorded. Returns how many were not final before.
 */
export async function finalizeListed(tx: Tx, transactions: readonly FinalTransaction[]): Promise<number> {
  if (transactions.length === 0) return 0;
  const signatures = sql.param(transactions.map(({ signature }) => signatureToBytes(signature)));
  const slots = sql.param(transactions.map(({ slot }) => slot.toString()));
  const failures = sql.param(transactions.map(({ failed }) => failed));
  // The range is for the index, whatever the planner takes the arrays for.
  const { count } = await tx.execute(sql`
    delete from unfinalized
    using unnest(${signatures}::bytea[], ${slots}::bigint[], ${failures}::boolean[]) as listed (signature, slot, failed)
    where unfinalized.slot between ${lowest(transactions)}::bigint and ${highest(transactions)}::bigint
      and unfinalized.tx_signature = listed.signature and unfinalized.slot = listed.slot
      and unfinalized.failed = listed.failed`);
  return count;
}

const lowest = (given: readonly FinalTransaction[]): string =>
  given.reduce((least, { slot }) => (slot < least ? slot : least), given[0]?.slot ?? 0n).toString();
const highest = (given: readonly FinalTransaction[]): string =>
  given.reduce((most, { slot }) => (slot > most ? slot : most), 0n).toString();

/** Notes that the transactions of these records can no longer be undone by the chain. Nothing else about them changes. */
export async function markFinalized(tx: Tx, kind: WatchedRecord, records: readonly Landed[]): Promise<void> {
  if (records.length > 0) await tx.delete(unfinalized).where(areThese(kind, records));
}

/**
 * Gives back the room of records that were not final, where there were many and none is left; otherwise does nothing. The
 * processes may not truncate tables: a function of the tables' owner does it for them.
 */
export async function shrinkUnfinalized(db: Db): Promise<void> {
  await db.execute(sql`select shrink_unfinalized()`);
}

/** Puts off the next check of those records that are not final yet, and returns their ids. */
export async function postponeChecks(
  tx: Tx,
  kind: WatchedRecord,
  records: readonly Landed[],
  until: Date,
): Promise<Uuid[]> {
  if (records.length === 0) return [];
  const put = tx.update(unfinalized).set({ checkAt: until }).where(areThese(kind, records));
  return (await put.returning({ id: unfinalized.id })).map(({ id }) => id);
}

/**
 * Keeps a record from becoming final until the transaction ends, so that it can be taken back; false when it is final or is
 * another transaction's by now.
 */
export async function holdUnfinalized(tx: Tx, kind: WatchedRecord, record: Landed): Promise<boolean> {
  const held = await tx
    .select({ id: unfinalized.id })
    .from(unfinalized)
    .where(areThese(kind, [record]))
    .for('update');
  return held.length === 1;
}

/** Gives a row that was written again the place in lists that it had before. When it was written is the time of its last change. */
export async function restoreCreation(
  tx: Tx,
  table: LandingTable,
  { id, createdAt }: { id: string; createdAt: Date },
): Promise<void> {
  await tx
    .update(table as PgTable)
    .set({ createdAt, updatedAt: sql`coalesce(${table.updatedAt}, ${table.createdAt})` })
    .where(eq(table.id, id));
}

function areThese(kind: WatchedRecord, records: readonly Landed[]): SQL {
  const ids = sql.param(records.map(({ id }) => uuidOf(id as Id<Prefix>)));
  const signatures = sql.param(records.map(({ txSignature: signature }) => signatureToBytes(signature)));
  return sql`${unfinalized.kind} = ${kind} and (${unfinalized.id}, ${unfinalized.txSignature}) in (
    select * from unnest(${ids}::uuid[], ${signatures}::bytea[]))`;
}
