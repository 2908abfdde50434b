import { Type } from '@fastify/type-provider-typebox';
import type { Position } from '../db/page.js';
import { type AppError, invalidField } from '../errors.js';

const maxLimit = 100;

/** Query of every list. Texts, because a query knows no numbers: `parsePage` reads them. */
export const PageQuery = {
  cursor: Type.Optional(
    Type.String({
      description: '`next_cursor` of the page before.',
      examples: ['MTc3MjM2NjQwMDAwMC4wMTljYTk0NS0wYTAwLTdjM2UtOWQ2MS00YjhmMmE3ZTVjMTA'],
    }),
  ),
  limit: Type.Optional(
    Type.String({ description: 'Rows of a page, 1 to 100; default 100.', examples: ['100'] }),
  ),
};

/** Rows of a list that begin behind a place; the first ones without one. */
export interface PageAfter<Place> {
  limit: number;
  after: Place | undefined;
}
export type Page = PageAfter<Position>;

/**
 * Reads `cursor` and `limit` (1 to 100, default 100). Throws `invalid_request` with the field for a bad one.
 * @param isId whether a text is an identifier of the list's rows.
 */
export function parsePage(query: { cursor?: string; limit?: string }, isId: (text: string) => boolean): Page {
  return { limit: parseLimit(query.limit), after: parseCursor(query.cursor, isId) };
}

/** Reads one row more than the page holds, and turns the surplus into `next_cursor`. */
export async function readPage<Row>(
  page: Page,
  read: (page: Page) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  return readRows(page, read, (row) => formatCursor(positionOf(row)));
}

/**
 * The same as `parsePage` for a list that is ordered by a name, such as the code of a country.
 * @param isName whether a text is a name of the list's rows.
 */
export function parseNamedPage(
  query: { cursor?: string; limit?: string },
  isName: (text: string) => boolean,
): PageAfter<string> {
  const limit = parseLimit(query.limit);
  if (query.cursor === undefined) return { limit, after: undefined };
  const after = Buffer.from(query.cursor, 'base64url').toString('utf8');
  if (after !== '' && isName(after) && formatName(after) === query.cursor) return { limit, after };
  throw badCursor();
}

/** The same as `readPage` for a list that is ordered by a name. */
export async function readNamedPage<Row>(
  page: PageAfter<string>,
  read: (page: PageAfter<string>) => Promise<Row[]>,
  nameOf: (row: Row) => string,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  return readRows(page, read, (row) => formatName(nameOf(row)));
}

async function readRows<Row, Place>(
  page: PageAfter<Place>,
  read: (page: PageAfter<Place>) => Promise<Row[]>,
  cursorOf: (row: Row) => string,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const found = await read({ ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > page.limit && last ? cursorOf(last) : null };
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return maxLimit;
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit)
    throw invalidField('limit', `limit must be a whole number from 1 to ${maxLimit}.`);
  return limit;
}

function formatCursor(position: Position): string {
  return Buffer.from(`${position.createdAt.getTime()}.${position.id}`).toString('base64url');
}

function formatName(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function badCursor(): AppError {
  return invalidField('cursor', 'cursor is not one that this list gave out.');
}

function parseCursor(text: string | undefined, isId: (text: string) => boolean): Position | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,14})\.(.+)$/.exec(Buffer.from(text, 'base64url').toString('utf8'));
  const position = { createdAt: new Date(Number(match?.[1])), id: match?.[2] ?? '' };
  if (!match || !isId(position.id) || formatCursor(position) !== text) {
    throw badCursor();
  }
  return position;
}
