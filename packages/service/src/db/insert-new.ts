import type { PgTable } from 'drizzle-orm/pg-core';
import type { Tx } from './client.js';

/** Writes a row; false when one of its unique values is taken, whatever constraint says so. */
export async function insertNew<Table extends PgTable>(
  tx: Tx,
  table: Table,
  row: Table['$inferInsert'],
): Promise<boolean> {
  const { count } = await tx.insert<PgTable>(table).values(row).onConflictDoNothing();
  return count === 1;
}
