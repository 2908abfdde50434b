import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { csvHeader, csvLine } from '../server/csv-line.js';

/** A list as CSV ends here, whatever there is behind. */
const maxRows = 100_000;
const rowsPerPage = '100';

/** The parts of a schema that say what the columns of a table are. */
interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** A column: the path of a field in a row. */
type Column = readonly string[];

/** Without a cursor: all rows there are. */
type Page = Record<string, unknown> & { next_cursor?: string | null };
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<Page>;

/**
 * Lets every list that is registered after it be read as CSV, with `format=csv`: the same filters, all pages, one after the
 * other as they are read. The columns are the fields of the list's rows, those of inner objects with a dot. `requireStillIn`
 * throws once the caller may no longer read; the response breaks off then, so that it is not mistaken for complete.
 */
export function offerCsv(
  app: FastifyInstance,
  requireStillIn: (request: FastifyRequest) => Promise<void>,
): void {
  app.addHook('onRoute', (route) => {
    const list = listOf(route);
    if (!list) return;
    const { name, columns } = list;
    const handler = route.handler as unknown as Handler;
    describeCsv(route, name, columns);
    const read = (request: FastifyRequest, reply: FastifyReply) => handler.call(app, request, reply);
    route.handler = (async (request: FastifyRequest, reply: FastifyReply) => {
      const query = request.query as Record<string, string>;
      if (query.format !== 'csv') return read(request, reply);
      const { cursor: _cursor, total: _total, ...filters } = query;
      const pageBehind = (cursor?: string) => {
        request.query = { ...filters, limit: rowsPerPage, ...(cursor === undefined ? {} : { cursor }) };
        return read(request, reply);
      };
      // What is wrong with the request is said before the table begins.
      const first = await pageBehind();
      const readOn = async (cursor: string) => {
        await requireStillIn(request);
        return pageBehind(cursor);
      };
      reply.type('text/csv; charset=utf-8');
      reply.headers({
        'content-disposition': `attachment; filename="${name}.csv"`,
        'cache-control': 'no-store',
      });
      return reply.send(Readable.from(linesOf(first, { name, columns, readOn }), { objectMode: false }));
    }) as unknown as typeof route.handler;
  });
}

/** Returns a route as a list; undefined when it is none. */
function listOf({ schema, method }: RouteOptions): { name: string; columns: Column[] } | undefined {
  const query = schema?.querystring as Schema | undefined;
  const response = (schema?.response as Record<string, Schema> | undefined)?.[200];
  if (method !== 'GET' || !query?.properties?.format || !response?.properties) return undefined;
  const rows = Object.entries(response.properties).find(([, { items }]) => items);
  if (!rows) throw new Error('a list without rows');
  const [name, { items }] = rows;
  return { name, columns: columnsOf(items ?? {}) };
}

function columnsOf(schema: Schema, path: string[] = []): Column[] {
  const inner = schema.properties ?? schema.anyOf?.find(({ properties }) => properties)?.properties;
  if (!inner) return [path];
  return Object.entries(inner).flatMap(([name, part]) => columnsOf(part, [...path, name]));
}

/** Adds the table to the document of the route. */
function describeCsv(route: RouteOptions, name: string, columns: Column[]): void {
  const { schema } = route;
  if (!schema) return;
  const response = schema.response as Record<string, unknown>;
  const header = columns.map((column) => column.join('.')).join(',');
  const table = {
    title: `${titleOf(name)}Table`,
    type: 'string',
    description: 'A header, and a line for each row.',
    examples: [`${header}\r\n`],
  };
  route.schema = {
    ...schema,
    response: {
      ...response,
      200: {
        description: 'Success',
        content: { 'application/json': { schema: response[200] }, 'text/csv': { schema: table } },
      },
    },
  };
}

/** Returns a name such as `api_keys` as a title: `ApiKeys`. */
const titleOf = (name: string) =>
  name.replace(/(?:^|_)([a-z])/g, (_all, deadLetter: string) => deadLetter.toUpperCase());

interface Table {
  name: string;
  columns: Column[];
  readOn(cursor: string): Promise<Page>;
}

async function* linesOf(first: Page, { name, columns, readOn }: Table): AsyncGenerator<string> {
  yield csvHeader(columns.map((column) => column.join('.')));
  let left = maxRows;
  for (let page = first; ; ) {
    const rows = (page[name] as Record<string, unknown>[]).slice(0, left);
    left -= rows.length;
    yield rows.map((row) => csvLine(columns.map((column) => cellOf(row, column)))).join('');
    if (!page.next_cursor || left === 0) return;
    page = await readOn(page.next_cursor);
  }
}

function cellOf(row: unknown, [name, ...path]: Column): unknown {
  if (name === undefined) return row;
  return cellOf((row as Record<string, unknown> | null | undefined)?.[name], path);
}
