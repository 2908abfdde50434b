import { type TProperties, Type } from '@fastify/type-provider-typebox';
import type { PageOf, Position } from '../../db/page.js';
import { searches } from '../../db/search.js';
import { choice } from '../../views/schemas.js';
import { filterBy, pageQuery, type ReadPage, readPage, storable } from '../server/lists.js';
import { createdFilters, readCreated } from '../server/times.js';

const format = choice(['json', 'csv'], {
  description: '`csv`: all pages as one table, at most 100000 rows; `cursor` and `limit` are ignored.',
  examples: ['json'],
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
  pageQuery({ ...filters, ...createdFilters, format }, cursorExample);

/** The same for a list whose rows have no time. */
export const timelessQuery = <Filters extends TProperties>(filters: Filters, cursorExample?: string) =>
  pageQuery({ ...filters, format }, cursorExample);

interface ListText {
  cursor?: string;
  limit?: string;
  created_from?: string;
  created_to?: string;
  q?: string;
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
