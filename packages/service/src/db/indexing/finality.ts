import { asc, eq, getTableColumns, lte, type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
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
     * When it is looked at next: at first once its slot is usually final, later the less often the older it is, so that those
     * which cannot be resolved never stand before new ones.
     */
    checkAt: moment('check_at').notNull(),
    kind: watchedRecord().notNull(),
    txSignature: txSignature('tx_signature').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.kind] }),
    index('unfinalized_due').on(t.checkAt, t.slot),
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
export type LandingTable = PgTable & Record<'id' | 'slot', AnyPgColumn>;

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

/** Returns records that have landed, are not final and are due: those that wait longest first. */
export async function findDueRecords(
  db: Db | Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<Unfinalized[]> {
  const { slot, checkAt } = unfinalized;
  return db.select().from(unfinalized).where(lte(checkAt, now)).orderBy(asc(checkAt), asc(slot)).limit(limit);
}

/** Returns the records of a transaction that are not final. */
export async function findUnfinalizedOf(db: Db | Tx, signature: TxSignature): Promise<Unfinalized[]> {
  return db.select().from(unfinalized).where(eq(unfinalized.txSignature, signature));
}

/** Notes that the transactions of these records can no longer be undone by the chain. Nothing else about them changes. */
export async function markFinalized(
  tx: Tx,
  records: readonly (Landed & { kind: WatchedRecord })[],
): Promise<void> {
  if (records.length > 0) await tx.delete(unfinalized).where(areThese(records));
}

/**
 * Gives back the room of records that were not final, where there were many and none is left; otherwise does nothing. The
 * processes may not truncate tables: a function of the tables' owner does it for them.
 */
export async function shrinkUnfinalized(db: Db): Promise<void> {
  await db.execute(sql`select shrink_unfinalized()`);
}

/** Puts off the next check of those records that are not final yet. */
export async function postponeChecks(tx: Tx, records: readonly Unfinalized[], until: Date): Promise<void> {
  if (records.length > 0) await tx.update(unfinalized).set({ checkAt: until }).where(areThese(records));
}

/**
 * Keeps a record from becoming final until the transaction ends, so that it can be taken back; false when it is final or is
 * another transaction's by now.
 */
export async function holdUnfinalized(tx: Tx, kind: WatchedRecord, record: Landed): Promise<boolean> {
  const held = await tx
    .select({ id: unfinalized.id })
    .from(unfinalized)
    .where(areThese([{ ...record, kind }]))
    .for('update');
  return held.length === 1;
}

function areThese(records: readonly (Landed & { kind: WatchedRecord })[]): SQL {
  const kinds = sql.param(records.map(({ kind }) => kind));
  const ids = sql.param(records.map(({ id }) => uuidOf(id as Id<Prefix>)));
  const signatures = sql.param(records.map(({ txSignature: signature }) => signatureToBytes(signature)));
  return sql`(${unfinalized.kind}, ${unfinalized.id}, ${unfinalized.txSignature}) in (
    select * from unnest(${kinds}::watched_record[], ${ids}::uuid[], ${signatures}::bytea[]))`;
}
