import { type TProperties, type TSchema, Type } from '@fastify/type-provider-typebox';
import type { PageOf, Position } from '../../db/page.js';
import { searches } from '../../db/search.js';
import { choice, titled } from '../../views/schemas.js';
import {
  filterBy,
  maxCounted,
  pageOf,
  pageQuery,
  type ReadPage,
  readPage,
  storable,
} from '../server/lists.js';
import { createdFilters, readCreated } from '../server/times.js';

const format = choice(['json', 'csv'], {
  description:
    '`csv`: all pages as one table, at most 100000 rows; `cursor`, `limit` and `total` are ignored.',
  examples: ['json'],
});

const total = choice(['true', 'false'], {
  description: `With \`true\`, the response has \`total\`: how many rows all pages have together, of which ${maxCounted} are counted.`,
  examples: ['true'],
});

const TotalView = titled('Total', {
  count: Type.Integer({ description: 'Rows that were counted.', examples: [412] }),
  more: Type.Boolean({ description: 'Whether there are more than were counted.', examples: [false] }),
});

/** The response of a list of operators: that of every list, and how many rows there are where that was requested. */
export const countedPageOf = <Name extends string, Row extends TSchema>(name: Name, row: Row) =>
  Type.Object({ ...pageOf(name, row).properties, total: Type.Optional(TotalView) });

/** Returns what comes behind the rows in a list's response. */
export const endOf = ({ nextCursor, total: counted }: Omit<ReadPage<never>, 'rows'>) => ({
  next_cursor: nextCursor,
  ...(counted && { total: counted }),
});

/** Describes what a list is searched for. */
export const searchFor = (what: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: `Only rows with this ${what}. KYC data is not searched here, because \`q\` is part of the URL: \`POST /users/search\` does that.`,
    examples: [example],
  });

/** The query of a list of operators: its own filters, when its rows were created, and the format. */
export const listQuery = <Filters extends TProperties>(filters: Filters, cursorExample?: string) =>
  pageQuery({ ...filters, ...createdFilters, format, total }, cursorExample);

/** The same for a list whose rows have no time. */
export const timelessQuery = <Filters extends TProperties>(filters: Filters, cursorExample?: string) =>
  pageQuery({ ...filters, format, total }, cursorExample);

interface ListText {
  cursor?: string;
  limit?: string;
  created_from?: string;
  created_to?: string;
  q?: string;
  total?: 'true' | 'false';
}

/** Reads a page of a list as `readPage` does: those rows that were created within the query's time, and that it searches for. */
export async function readList<Row extends Position>(
  query: ListText,
  asId: (text: string) => string | undefined,
  find: (page: PageOf) => Promise<Row[]>,
  search?: keyof typeof searches,
): Promise<ReadPage<Row>> {
  const created = readCreated(query);
  return readPage(query, asId, (page) => {
    const q = filterBy(query.q, storable);
    const where = q === undefined || !search ? undefined : searches[search](q);
    return find({ ...page, created, where });
  });
}
