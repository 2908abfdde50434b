import { and, getTableColumns, lt, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, LockStrength, PgTable, PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { arrayFrom, arrayOf, arrayText } from './arrays.js';
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

/** Rows as a table of SQL, one array for each column, and the names of its columns. */
export interface GivenRows {
  columns: SQL;
  rows: SQL;
}

/**
 * Returns rows of a table as a table of SQL, one array for each column that the first row names, so that a statement has
 * as many parameters for a thousand rows as for one. Not for columns that are arrays themselves.
 */
export function asRows<Table extends PgTable>(
  table: Table,
  rows: readonly Table['$inferInsert'][],
): GivenRows {
  const named = Object.keys(rows[0] ?? {});
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => named.includes(name));
  const arrays = columns.map(([name, column]) => arrayOf(column, valuesOf(rows, name, column)));
  return tableOf(
    columns.map(([, column]) => column),
    arrays,
  );
}

/** Returns rows of all columns of a table, as `asRows` does, whose values `rowValues` gives when the statement is run. */
export function placedRows(table: PgTable): GivenRows {
  const columns = Object.entries(getTableColumns(table));
  const arrays = columns.map(([name, column]) => arrayFrom(column, sql`${sql.placeholder(name)}`));
  return tableOf(
    columns.map(([, column]) => column),
    arrays,
  );
}

/** Returns the values of `placedRows`. */
export function rowValues<Table extends PgTable>(
  table: Table,
  rows: readonly Table['$inferSelect'][],
): Record<string, unknown> {
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(
    columns.map(([name, column]) => [name, arrayText(column, valuesOf(rows, name, column))]),
  );
}

function tableOf(columns: readonly AnyPgColumn[], arrays: SQL[]): GivenRows {
  const names = columns.map((column) => sql.identifier(column.name));
  return { columns: sql.join(names, sql`, `), rows: sql`unnest(${sql.join(arrays, sql`, `)})` };
}

/** Returns the values of a column as the driver takes them. */
function valuesOf(rows: readonly object[], name: string, column: AnyPgColumn): unknown[] {
  let [last, mapped]: unknown[] = [];
  return rows.map((row) => {
    const value = (row as Record<string, unknown>)[name];
    if (value === null || value === undefined) return null;
    // The rows of a batch have one time.
    if (value !== last) [last, mapped] = [value, column.mapToDriverValue(value)];
    return mapped;
  });
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

/**
 * Deletes rows of a column's table in which that time lies before `before` and that meet a condition: at most `limit`, the
 * oldest first, and none that is locked. Returns how many.
 */
export async function deleteSomeBefore(
  tx: Tx,
  column: AnyPgColumn,
  before: Date,
  limit: number,
  condition?: SQL,
): Promise<number> {
  const old = tx
    .select({ place: sql`ctid` })
    .from(column.table)
    .where(and(lt(column, before), condition))
    .orderBy(column)
    .limit(limit)
    .for('update', { skipLocked: true });
  const { count } = await tx.delete(column.table).where(sql`ctid = any(array(${old}))`);
  return count;
}
