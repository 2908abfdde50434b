import { and, asc, count, eq, sql } from 'drizzle-orm';
import { check, jsonb, pgEnum, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { type ViewList, viewLists } from '../../domain/saved-view.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { personId } from '../people/people.js';
import { changeRow, findRow } from '../rows.js';

export const viewList = pgEnum('view_list', viewLists);

/** Filters of lists that operators have given a name, each for the operator alone. */
export const savedViews = pgTable(
  'saved_views',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    operatorId: personId('operator_id').notNull(),
    list: viewList().notNull(),
    name: text().notNull(),
    /** Values of the list's filters by their names, as they stand in an address; never what was searched for. */
    filter: jsonb().notNull().$type<Record<string, string>>(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    unique('saved_views_name').on(t.operatorId, t.list, t.name),
    check('saved_views_name_length', sql`char_length(${t.name}) between 1 and 100`),
    check('saved_views_filter', sql`jsonb_typeof(${t.filter}) = 'object' and not ${t.filter} ? 'q'`),
  ],
);

export type SavedView = typeof savedViews.$inferSelect;

/** The views of an operator, in the order in which they were saved first. */
export const findViews = (db: Db | Tx, operatorId: Uuid, list?: ViewList): Promise<SavedView[]> =>
  db
    .select()
    .from(savedViews)
    .where(and(eq(savedViews.operatorId, operatorId), list && eq(savedViews.list, list)))
    .orderBy(asc(savedViews.createdAt), asc(savedViews.id));

export const findViewByName = (tx: Tx, { operatorId, list, name }: Omit<SavedView, 'id'>) =>
  findRow(
    tx,
    savedViews,
    and(eq(savedViews.operatorId, operatorId), eq(savedViews.list, list), eq(savedViews.name, name)),
  );

/** Returns how many views an operator has of a list. */
export async function countViews(tx: Tx, operatorId: Uuid, list: ViewList): Promise<number> {
  const [row] = await tx
    .select({ views: count() })
    .from(savedViews)
    .where(and(eq(savedViews.operatorId, operatorId), eq(savedViews.list, list)));
  return row?.views ?? 0;
}

export async function insertView(tx: Tx, view: SavedView): Promise<void> {
  await tx.insert(savedViews).values(view);
}

export const updateViewFilter = (tx: Tx, { id, filter }: Pick<SavedView, 'id' | 'filter'>) =>
  changeRow(tx, savedViews, { filter }, eq(savedViews.id, id));

/** Deletes a view of an operator and returns it; undefined where there is none of that id. */
export async function deleteView(tx: Tx, operatorId: Uuid, id: Uuid): Promise<SavedView | undefined> {
  const [deleted] = await tx
    .delete(savedViews)
    .where(and(eq(savedViews.operatorId, operatorId), eq(savedViews.id, id)))
    .returning();
  return deleted;
}
