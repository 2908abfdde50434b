import { lt } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Tx } from './client.js';

/** Deletes the rows of a column's table in which that time lies before `before`. */
export async function deleteBefore(tx: Tx, column: AnyPgColumn, before: Date): Promise<void> {
  await tx.delete(column.table).where(lt(column, before));
}
