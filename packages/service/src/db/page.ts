import { type AnyColumn, type SQL, sql } from 'drizzle-orm';

/** Where a page of a list that is ordered by creation, newest first, begins: after this row. */
export interface Position {
  createdAt: Date;
  id: string;
}

/**
 * The condition for rows older than a position; nothing for the first page. `created_at` and `id` of a row never change,
 * so rows added meanwhile shift nothing: a pass over all pages gives every row that was visible when it began exactly
 * once, and no row twice. `created_at` is taken before the commit, so a row may become visible behind a position that a
 * pass has left already: that pass does not give it, the next one does. Whoever looks only for news has to look back by
 * the longest transaction, a few seconds.
 */
export function afterPosition(
  createdAt: AnyColumn,
  id: AnyColumn,
  after: Position | undefined,
): SQL | undefined {
  if (!after) return undefined;
  return sql`(${createdAt}, ${id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`;
}
