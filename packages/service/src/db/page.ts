import {
  type AnyColumn,
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  getTableName,
  gte,
  lte,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type AnyPgColumn, type PgTable, unionAll } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.js';

/** Where a page of a list that is ordered by creation begins: after this row. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** Newest first (`desc`, as nearly all lists are) or oldest first. */
export type ListOrder = 'asc' | 'desc';

/** When rows were created, from the first moment to the last. */
export interface CreatedRange {
  from: Date | undefined;
  to: Date | undefined;
}

export interface PageOf {
  limit: number;
  after: Position | undefined;
  created?: CreatedRange | undefined;
  /** Only rows that also meet this: what somebody searches for. */
  where?: SQL | undefined;
}

/**
 * Returns the condition for rows behind a position, which are older ones, or newer ones in a list that begins with the
 * oldest; nothing for the first page. `created_at` and `id` of a row never change, so rows added meanwhile shift
 * nothing: a pass over all pages gives every row that was visible when it began exactly once, and no row twice.
 * `created_at` is taken before the commit, so a row may become visible behind a position that a pass has left already:
 * that pass does not give it, the next one does. A reader of news alone has to look back by the longest transaction, a
 * few seconds.
 */
export function afterPosition(
  createdAt: AnyColumn,
  id: AnyColumn,
  after: Position | undefined,
  order: ListOrder = 'desc',
): SQL | undefined {
  if (!after) return undefined;
  const behind = order === 'desc' ? sql`<` : sql`>`;
  return sql`(${createdAt}, ${id}) ${behind} (${after.createdAt.toISOString()}::timestamptz, ${sql.param(after.id, id)})`;
}

/** Returns the condition for rows behind one in an order by block height and id, the lowest first; nothing without one. */
export function behindHeight(
  height: AnyColumn,
  id: AnyColumn,
  after: { height: bigint; id: string } | undefined,
): SQL | undefined {
  // As one comparison the index begins there; as two it would read all that lies before.
  return after && sql`(${height}, ${id}) > (${String(after.height)}::bigint, ${sql.param(after.id, id)})`;
}

/** Returns the conditions that rows were created within a range. */
export function createdWithin(createdAt: AnyPgColumn, range: CreatedRange | undefined): (SQL | undefined)[] {
  return [range?.from && gte(createdAt, range.from), range?.to && lte(createdAt, range.to)];
}

export function byCreation(createdAt: AnyColumn, id: AnyColumn, order: ListOrder = 'desc'): SQL[] {
  return order === 'desc' ? [desc(createdAt), desc(id)] : [asc(createdAt), asc(id)];
}

/** Values of a table's columns by which a list is filtered; what is undefined is not looked at. */
export type Filter<Table extends PgTable> = {
  [Name in keyof Table['$inferSelect']]?: Table['$inferSelect'][Name] | undefined;
};

/** Returns the conditions that columns of a table have the values that a filter names. Throws for a name that is not a column. */
export function matching<Table extends PgTable>(
  table: Table,
  filter: Filter<Table>,
  asSql: (column: AnyPgColumn, name: string, value: unknown) => SQL = (column, _name, value) =>
    sql`${sql.param(value, column)}`,
): SQL[] {
  const columns = getTableColumns(table);
  return Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const column = columns[name];
    // A condition that is dropped would show the rows of other partners.
    if (!column) throw new Error(`There is no column ${name} to filter by.`);
    return [eq(column, asSql(column as AnyPgColumn, name, value))];
  });
}

/** Reads a page of a table's rows that meet all conditions. */
export async function findPage<Table extends PgTable & { createdAt: AnyPgColumn; id: AnyPgColumn }>(
  db: Db | Tx,
  table: Table,
  conditions: (SQL | undefined)[],
  { limit, after, created, where, order }: PageOf & { order?: ListOrder | undefined },
): Promise<Table['$inferSelect'][]> {
  const { createdAt, id } = table;
  return db
    .select()
    .from<PgTable>(table)
    .where(
      and(
        ...conditions,
        where,
        ...createdWithin(createdAt, created),
        afterPosition(createdAt, id, after, order),
      ),
    )
    .orderBy(...byCreation(createdAt, id, order))
    .limit(limit);
}

/** Columns of few values, each with all of those that a list may show. */
export type Values<Table extends PgTable> = {
  [Name in keyof Table['$inferSelect']]?: readonly Table['$inferSelect'][Name][];
};

/** What a page by value is read with, next to the page itself. */
export interface ByValue<Table extends PgTable, Also> {
  filter: Filter<Table>;
  values: Values<Table>;
  /** Conditions whose text is always the same for a `variant`, and which have no values. */
  conditions?: (SQL | undefined)[];
  variant?: string;
  /** What is read of each row, next to its columns. */
  also?: { [Name in keyof Also]: SQL.Aliased<Also[Name]> };
}

/**
 * Reads a page as `findPage` does, of a table whose indexes begin with columns of few `values`: one that the filter does
 * not name is read value by value. So the same index serves lists with and without that filter, and none reads more than
 * a page for each value, whatever it matches. The statement is built once for each combination of filters, which takes
 * longer than to read its rows.
 */
export async function findPageByValue<
  Table extends PgTable & { createdAt: AnyPgColumn; id: AnyPgColumn },
  Also extends Record<string, unknown> = Record<never, never>,
>(
  db: Db | Tx,
  table: Table,
  wanted: ByValue<Table, Also>,
  page: PageOf & { order?: ListOrder | undefined },
): Promise<(Table['$inferSelect'] & Also)[]> {
  const { filter, variant = '' } = wanted;
  const { limit, after, created, where, order = 'desc' } = page;
  const given = {
    [most]: limit,
    ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    ...(after && { [afterAt]: after.createdAt, [afterId]: after.id }),
    ...(created?.from && { [from]: created.from }),
    ...(created?.to && { [to]: created.to }),
  };
  const build = () => pageByValue(db, table, wanted, { given, where, order });
  const key = [getTableName(table), variant, order, ...Object.keys(given).sort()].join(' ');
  const statement = where ? build() : kept(db, key, build);
  return (await statement.execute(given)) as (Table['$inferSelect'] & Also)[];
}

/** Names of placeholders; those of a filter have the names of its columns. */
const [most, afterAt, afterId, from, to] = ['most rows', 'after at', 'after id', 'from', 'to'] as const;

/** A statement that was built; it takes the values of its placeholders. */
interface Statement {
  execute(given: Record<string, unknown>): Promise<unknown[]>;
}

/** The statements of each database, by what they read. */
const statements = new WeakMap<object, Map<string, Statement>>();

function kept(db: Db | Tx, key: string, build: () => Buildable): Statement {
  const own = statements.get(db) ?? new Map<string, Statement>();
  statements.set(db, own);
  const known = own.get(key);
  if (known) return known;
  // Without a name PostgreSQL plans it for its values. A plan for all values takes every partner for a usual one, and reads
  // the whole table for one without rows where most rows are of another.
  const statement = build().prepare('');
  own.set(key, statement);
  return statement;
}

interface Buildable extends Statement {
  prepare(name: string): Statement;
}

function pageByValue<Table extends PgTable & { createdAt: AnyPgColumn; id: AnyPgColumn }, Also>(
  db: Db | Tx,
  table: Table,
  { filter, values, conditions = [], also }: ByValue<Table, Also>,
  page: { given: Record<string, unknown>; where: SQL | undefined; order: ListOrder },
): Buildable {
  const { createdAt, id } = table;
  const { given, where, order } = page;
  const value = (column: AnyPgColumn, name: string) => sql`${sql.param(sql.placeholder(name), column)}`;
  const after = sql`(${createdAt}, ${id}) ${order === 'desc' ? sql`<` : sql`>`} (${value(createdAt, afterAt)}, ${value(id, afterId)})`;
  const all = [
    ...conditions,
    where,
    from in given ? sql`${createdAt} >= ${value(createdAt, from)}` : undefined,
    to in given ? sql`${createdAt} <= ${value(createdAt, to)}` : undefined,
    afterAt in given ? after : undefined,
  ];
  const limit = sql.placeholder(most);
  const ordered = byCreation(createdAt, id, order);
  const columns = { ...getTableColumns<PgTable>(table), ...also };
  const parts = combinations(filter, values).map((part) => {
    const own = matching(table, part, (column, name, fixed) =>
      name in given ? value(column, name) : sql`${sql.param(fixed, column)}`,
    );
    const rows = db
      .select(columns)
      .from<PgTable>(table)
      .where(and(...own, ...all));
    return rows.orderBy(...ordered).limit(limit);
  });
  const [first, second, ...rest] = parts;
  if (!first) throw new Error('a list by no values');
  return (
    second
      ? unionAll(first, second, ...rest)
          .orderBy(...ordered)
          .limit(limit)
      : first
  ) as Buildable;
}

/** Returns a filter for each combination of values that the given one leaves open. */
function combinations<Table extends PgTable>(filter: Filter<Table>, values: Values<Table>): Filter<Table>[] {
  let filters = [filter];
  for (const [name, all] of Object.entries(values) as [keyof Filter<Table>, readonly never[]][]) {
    if (filter[name] !== undefined) continue;
    filters = filters.flatMap((one) => all.map((value) => ({ ...one, [name]: value })));
  }
  return filters;
}
