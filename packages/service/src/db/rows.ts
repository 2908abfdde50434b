import { lt, type SQL } from 'drizzle-orm';
import type { AnyPgColumn, LockStrength, PgTable, PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';

/** Reads the row that meets a condition, locked until the transaction ends where `lock` says how. */
export async function findRow<Table extends PgTable>(
  db: Db | Tx,
  table: Table,
  condition: SQL | undefined,
  lock?: LockStrength,
): Promise<Table['$inferSelect'] | undefined> {
  const query = db.select().from<PgTable>(table).where(condition);
  const [row] = await (lock ? query.for(lock) : query);
  return row;
}

/** Writes a row; returns false if one of its unique values is taken, whichever constraint reports it. */
export async function insertNew<Table extends PgTable>(
  tx: Tx,
  table: Table,
  row: Table['$inferInsert'],
): Promise<boolean> {
  const { count } = await tx.insert<PgTable>(table).values(row).onConflictDoNothing();
  return count === 1;
}

/** Changes the row that meets a condition; false when none does. */
export async function changeRow<Table extends PgTable>(
  tx: Tx,
  table: Table,
  changes: PgUpdateSetSource<Table>,
  condition: SQL | undefined,
): Promise<boolean> {
  const { count } = await tx.update<PgTable>(table).set(changes).where(condition);
  return count === 1;
}

/** Deletes the rows of a column's table in which that time lies before `before`. */
export async function deleteBefore(tx: Tx, column: AnyPgColumn, before: Date): Promise<void> {
  await tx.delete(column.table).where(lt(column, before));
}
