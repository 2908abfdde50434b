import { type AnyColumn, type SQL, sql } from 'drizzle-orm';

/** Where a page of a list that is ordered by creation, newest first, begins: after this row. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** The condition for rows older than a position; nothing for the first page. Rows added meanwhile never shift it. */
export function afterPosition(
  createdAt: AnyColumn,
  id: AnyColumn,
  after: Position | undefined,
): SQL | undefined {
  if (!after) return undefined;
  return sql`(${createdAt}, ${id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`;
}
