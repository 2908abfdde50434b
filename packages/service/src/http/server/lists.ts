import { type TArray, type TProperties, type TSchema, Type } from '@fastify/type-provider-typebox';
import type { PageOf, Position } from '../../db/page.js';
import { isStorable } from '../../domain/encoding.js';
import { toInteger } from '../../domain/integer.js';
import { type AppError, invalidField } from '../../errors.js';
import { Nullable } from '../../views/schemas.js';

const maxLimit = 100;

/** Returns a cursor of a list that is ordered by creation, as an example for its reference. */
export const cursorBehind = (id: string) =>
  formatCursor({ createdAt: new Date('2026-03-01T12:00:00.000Z'), id });

/** Returns one of a list that is ordered by a name. */
export const cursorBehindName = (name: string) => formatName(name);

/**
 * The page of every list. Texts, because a query knows no numbers: `readPage` reads them.
 * @param example a cursor that the list takes.
 */
const pageParts = (example: string) => ({
  cursor: Type.Optional(
    Type.String({ description: '`next_cursor` of the previous page.', examples: [example] }),
  ),
  limit: Type.Optional(
    Type.String({ description: 'Rows per page, 1 to 100; default 100.', examples: ['100'] }),
  ),
});

const cursorOfUuid = cursorBehind('019ca945-0a00-7c3e-9d61-4b8f2a7e5c10');

/** The page of a list whose ids are plain UUIDs. */
export const PageQuery = pageParts(cursorOfUuid);

/** The query of a list: its filters, all of which may be left out, and the page, with a cursor of the list as an example. */
export const pageQuery = <Filters extends TProperties>(filters: Filters, cursorExample = cursorOfUuid) =>
  Type.Partial(Type.Object({ ...filters, ...pageParts(cursorExample) }));

export const NextCursor = Nullable(Type.String(), {
  description: '`cursor` of the next page; null on the last page.',
  examples: [null],
});

/** The response of a list: its rows under their name, and the cursor of the next page. */
export const pageOf = <Name extends string, Row extends TSchema>(name: Name, row: Row) => {
  const rows = { [name]: Type.Array(row) } as Record<Name, TArray<Row>>;
  return Type.Object({ ...rows, next_cursor: NextCursor });
};

interface PageText {
  cursor?: string;
  limit?: string;
  /** Whether the rows of all pages are counted, where a list offers that. */
  total?: 'true' | 'false';
}

/** Rows are counted so far: more are too many to look through, and would take long to count. */
export const maxCounted = 1_000;

/** How many rows all pages have together, of which `maxCounted` are counted; `more` if there are more. */
export interface Total {
  count: number;
  more: boolean;
}

/** Rows of a page, and the `cursor` of the next one; null on the last page. */
export interface ReadPage<Row> {
  rows: Row[];
  nextCursor: string | null;
  /** Undefined unless it was requested. */
  total: Total | undefined;
}

/**
 * Reads a page of a list that is ordered by creation: one row more than the page has, which decides `nextCursor`.
 * Throws `invalid_request` for a bad `cursor` or `limit` (1 to 100, default 100).
 * @param asId gives an identifier of the list's rows back as it is.
 */
export async function readPage<Row extends Position>(
  query: PageText,
  asId: (text: string) => string | undefined,
  find: (page: PageOf) => Promise<Row[]>,
): Promise<ReadPage<Row>> {
  const page = { limit: parseLimit(query.limit), after: parseCursor(query.cursor, asId) };
  return readRows({ page, counts: query.total === 'true' }, find, formatCursor);
}

/** A page of a list that is ordered by a name: what comes behind `after`. */
export interface NamedPage {
  limit: number;
  after: string | undefined;
}

/**
 * Reads the same for a list that is ordered by a name, such as the code of a country.
 * @param isName whether a text is a name of the list's rows.
 */
export async function readNamedPage<Row>(
  query: PageText,
  isName: (text: string) => boolean,
  find: (page: NamedPage) => Promise<Row[]>,
  nameOf: (row: Row) => string,
): Promise<ReadPage<Row>> {
  const page = { limit: parseLimit(query.limit), after: parseName(query.cursor, isName) };
  return readRows({ page, counts: query.total === 'true' }, find, (row) => formatName(nameOf(row)));
}

async function readRows<Row, Page extends { limit: number; after: unknown }>(
  { page, counts }: { page: Page; counts: boolean },
  find: (page: Page) => Promise<Row[]>,
  cursorOf: (row: Row) => string,
): Promise<ReadPage<Row>> {
  try {
    const found = await find({ ...page, limit: page.limit + 1 });
    const rows = found.slice(0, page.limit);
    const last = rows.at(-1);
    const nextCursor = found.length > page.limit && last ? cursorOf(last) : null;
    return { rows, nextCursor, total: counts ? await countRows(page, found, find) : undefined };
  } catch (error) {
    if (!(error instanceof NothingMatches)) throw error;
    return { rows: [], nextCursor: null, total: counts ? { count: 0, more: false } : undefined };
  }
}

/** Counts the rows of all pages, for which a page that is the only one has been read already. */
async function countRows<Row, Page extends { limit: number; after: unknown }>(
  page: Page,
  found: Row[],
  find: (page: Page) => Promise<Row[]>,
): Promise<Total> {
  const isOnly = page.after === undefined && found.length <= page.limit;
  const all = isOnly ? found : await find({ ...page, after: undefined, limit: maxCounted + 1 });
  return { count: Math.min(all.length, maxCounted), more: all.length > maxCounted };
}

/** Ends the search of a list whose filter cannot match any row. */
class NothingMatches extends Error {}

/**
 * Reads a filter in the `find` of a list; undefined when it is not given. A text that `read` does not take matches
 * nothing, which leaves the list empty.
 */
export function filterBy<T>(text: string | undefined, read: (text: string) => T | undefined): T | undefined {
  if (text === undefined) return undefined;
  const value = read(text);
  if (value === undefined) throw new NothingMatches();
  return value;
}

/** Returns a text that the database can hold; what cannot even be written down is merely unknown. */
export const storable = (text: string): string | undefined => (isStorable(text) ? text : undefined);

/** Reads a `limit`, 1 to 100, default 100. Throws `invalid_request`. */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return maxLimit;
  const limit = /^[1-9]\d{0,2}$/.test(text) ? toInteger(text) : 0;
  if (limit < 1 || limit > maxLimit)
    throw invalidField('limit', `limit must be a whole number from 1 to ${maxLimit}.`);
  return limit;
}

function formatCursor(position: Pick<Position, 'createdAt' | 'id'>): string {
  return Buffer.from(`${position.createdAt.getTime()}.${position.id}`).toString('base64url');
}

function formatName(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function badCursor(): AppError {
  return invalidField('cursor', 'cursor is not a cursor of this list.');
}

function parseCursor(
  text: string | undefined,
  asId: (text: string) => string | undefined,
): Position | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,14})\.(.+)$/.exec(Buffer.from(text, 'base64url').toString('utf8'));
  const position = { createdAt: new Date(toInteger(match?.[1])), id: match?.[2] ?? '' };
  if (!match || asId(position.id) !== position.id || formatCursor(position) !== text) throw badCursor();
  return position;
}

function parseName(text: string | undefined, isName: (text: string) => boolean): string | undefined {
  if (text === undefined) return undefined;
  const name = Buffer.from(text, 'base64url').toString('utf8');
  if (name === '' || !isName(name) || formatName(name) !== text) throw badCursor();
  return name;
}
