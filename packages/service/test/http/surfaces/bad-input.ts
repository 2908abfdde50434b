import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId, newUuid } from '../../../src/domain/ids.js';
import type { JsonSchema } from '../../../src/http/openapi/examples.js';
import { type ApiResponse, type Harness, newWallet } from '../../harness.js';
import type { Surface, SurfaceOperation } from './surfaces.js';

/**
 * The tables of bad input: every field of a body, given every kind of nonsense, has to get a 400 that names
 * the field, never with a 500, and must leave nothing behind. The tables are held to the document of the surface.
 */

/** What a malformed text gets where that is no 400 `invalid_request`: an unknown id, a wallet that is no key. */
export interface Malformed {
  status: number;
  /** One code, or several where it depends on the text. */
  error: string | RegExp;
  field?: string;
}

type Kind = {
  /** Text for people, of at most so many characters. */
  label: { max: number };
  /** The same, but it may be empty and have lines. */
  note: { max: number };
  /** Any text, of at most so many characters if there is a limit. */
  verbatim: { max?: number; mayBeEmpty?: boolean };
  /** An id, address, code or signature, and what a malformed one gets. */
  reference: { malformed: Malformed };
  /** One of a few words. */
  word: { words: unknown[] };
  /** A positive amount of USDC or GOLD; `zero: true` when 0 is fine. */
  amount: { zero?: boolean };
  /** A number of any precision that is not negative. */
  number: object;
  /** A whole number within bounds. */
  integer: { min: number; max: number };
  boolean: object;
  object: object;
  /** A list of ids, addresses and the like, and what a malformed one gets, at its place; or one of objects. */
  list: { malformed?: Malformed; ofObjects?: boolean };
};
export type BadField = {
  [K in keyof Kind]: { path: string; kind: K; optional?: boolean; nullable?: boolean } & Kind[K];
}[keyof Kind];

export const label = (path: string, max: number): BadField => ({ path, kind: 'label', max });
export const verbatim = (path: string, max?: number): BadField => ({
  path,
  kind: 'verbatim',
  ...(max !== undefined && { max }),
  mayBeEmpty: true,
});
export const amount = (path: string, zero = false): BadField => ({ path, kind: 'amount', zero });
export const integer = (path: string, min: number, max: number): BadField => ({
  path,
  kind: 'integer',
  min,
  max,
});
export const object = (path: string): BadField => ({ path, kind: 'object' });
export const list = (path: string, malformed?: Malformed): BadField => ({
  path,
  kind: 'list',
  ...(malformed ? { malformed } : {}),
});
/** A reference whose malformed values are refused with a code, blaming a field; `field` undefined: none. */
export const reference = (
  path: string,
  error: string | RegExp = 'invalid_request',
  field: string | undefined = path,
  status = 400,
): BadField => ({ path, kind: 'reference', malformed: { status, error, ...(field ? { field } : {}) } });
/** A reference to what has to exist. */
export const known = (path: string, error: string): BadField => ({
  path,
  kind: 'reference',
  malformed: { status: 404, error },
});
export const optional = (field: BadField): BadField => ({ ...field, optional: true });

export interface BadInputTable {
  /** `METHOD path` as the document has it. */
  route: string;
  /** Sends a body, given as JSON text. */
  send(json: string): Promise<ApiResponse>;
  /** A body that the route takes, made once for those that are refused and once at the end. */
  good(): object | Promise<object>;
  fields: BadField[];
  /** More than the route takes; default: 70 KB. */
  tooLarge?: number;
  /** Fields that the schema does not require, but that this body cannot do without. */
  conditional?: string[];
}

export interface BadInputOptions {
  harness(): Harness;
  tables: BadInputTable[];
  /** Whether the good bodies are sent at the end; false where they are for things that do not exist. */
  takesGood?: boolean;
}

/** A number that JavaScript cannot hold or write, as it stands in the JSON text. */
const raw = (text: string) => `@raw:${text}@`;
export const toJson = (body: unknown) => JSON.stringify(body).replace(/"@raw:([^@]+)@"/g, '$1');
const remove = Symbol('remove');

export function describeBadInput(surface: Surface, options: BadInputOptions): void {
  const { tables, harness } = options;

  /** Throws when a response does not refuse; `what` was sent. */
  function expectRefused(response: ApiResponse, what: string, { status, error, field }: Malformed): void {
    expect({ status: response.status, ...surface.refusalOf(response) }, what).toMatchObject({
      status,
      code: expect.stringMatching(error),
      message: expect.stringMatching(/\S/),
      ...(field ? { field } : {}),
    });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  }

  describe('bodies', () => {
    let before: unknown;
    const goods = new Map<string, object>();
    beforeAll(async () => {
      for (const { route, good } of tables) goods.set(route, await good());
      before = await rowCounts(harness());
    });

    describe.each(tables)('$route', ({ route, send, fields, tooLarge = 70_000, conditional = [] }) => {
      const good = () => goods.get(route) ?? {};
      const at = (path: string) => fields.find((field) => field.path === path);

      test('the route has in the table every field of the document, and needs the same', () => {
        const described = fieldsOf(bodyOf(surface, route));
        expect(fields.map(({ path }) => path).sort()).toEqual(described.map(({ path }) => path).sort());
        const needed = described.filter(({ required }) => required).map(({ path }) => path);
        const needs = fields.filter((field) => !field.optional).map(({ path }) => path);
        expect(needs.filter((path) => !conditional.includes(path)).sort()).toEqual(needed.sort());
        for (const path of conditional) expect(at(path)?.optional, path).toBeFalsy();
      });

      test('the body is a JSON object', async () => {
        const refused = { status: 400, error: /^invalid_request$/ };
        for (const text of ['{', '[]', '"text"', '1', 'true', '{"a":1,}', '\u0000', '['.repeat(40_000)]) {
          expectRefused(await send(text), text.slice(0, 20), refused);
        }
        const large = await send(JSON.stringify({ note: 'x'.repeat(tooLarge) }));
        expectRefused(large, 'too large', { status: 413, error: /^payload_too_large$/ });
      });

      test.each(fields)('the route $path refuses every kind of nonsense', async (field) => {
        const refusals = casesOf(field).map(async ({ value, expected }) => {
          const response = await send(toJson(withField(good(), field.path, value)));
          const shown = typeof value === 'symbol' ? 'none' : JSON.stringify(value).slice(0, 60);
          const usual = { status: 400, error: /^invalid_request$/, field: field.path };
          expectRefused(response, `${field.path}: ${shown}: ${response.text}`, expected ?? usual);
        });
        await Promise.all(refusals);
      });
    });

    test('refused bodies write nothing', async () => {
      expect(await rowCounts(harness())).toEqual(before);
    });

    if (options.takesGood === false) return;
    test.each(tables)(
      'the good body of $route is accepted, so that it was the fields that were refused',
      async ({ send, good }) => {
        const response = await send(toJson(await good()));
        expect([200, 201], response.text).toContain(response.status);
      },
    );
  });
}

interface DescribedField {
  path: string;
  schema: JsonSchema;
  required: boolean;
}

/** The schema of a route's body; of one that may be left out, that of the object. */
export function bodyOf({ operations }: Surface, route: string): JsonSchema {
  const found = operations.find(({ method, path }) => `${method.toUpperCase()} ${path}` === route);
  if (!found) throw new Error(`there is no ${route}`);
  const schema = Object.values(found.operation.requestBody?.content ?? {})[0]?.schema ?? {};
  if (schema.oneOf) return inOne(schema.oneOf);
  return schema.anyOf?.find(({ type }) => type === 'object') ?? schema;
}

/** Shapes of which a body has one, as one: what all of them need is needed. */
function inOne(shapes: JsonSchema[]): JsonSchema {
  const needed = shapes.map(({ required }) => (required ?? []) as string[]);
  return {
    type: 'object',
    properties: Object.assign({}, ...shapes.map(({ properties }) => properties)),
    required: needed[0]?.filter((name) => needed.every((names) => names.includes(name))) ?? [],
  };
}

export function fieldsOf(
  { properties = {}, required }: JsonSchema,
  parent: string[] = [],
  // What a field needs that may be left out is not needed.
  isNeeded = true,
): DescribedField[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...parent, name];
    const needed = isNeeded && Array.isArray(required) && required.includes(name);
    return [{ path: path.join('.'), schema, required: needed }, ...fieldsOf(schema, path, needed)];
  });
}

interface BadCase {
  value: unknown;
  expected?: Malformed;
}

function casesOf(field: BadField): BadCase[] {
  const refused = valuesOf(field).filter(
    // Null for an optional field is its absence.
    (value) => !((field.nullable || field.optional) && value === null),
  );
  const own = refused.map((value) => ({ value }));
  const missing = field.optional ? [] : [{ value: remove }];
  return [...missing, ...own, ...malformedOf(field)];
}

/** Values of each type of JSON, for the fields of another. */
const values: Record<string, unknown[]> = {
  string: ['text', '1', '', 'NaN'],
  number: [1, raw('1e309'), raw('-1e309')],
  boolean: [true],
  object: [{}],
  array: [[], [1]],
};
const without = (type: string) => [
  null,
  ...Object.entries(values).flatMap(([one, list]) => (one === type ? [] : list)),
];
const tooLong = (max: number) => ['x'.repeat(max + 1), '👑'.repeat(max + 1), 'x'.repeat(60_000)];
const tooLarge = [raw('1e309'), raw('-1e309'), 2 ** 53];
const unstorable = ['a\u0000b', '\ud800', 'a\ud800b', 'a\udfffb'];
const unreadable = ['\t', ' \u00a0 ', 'a\u001bb', 'a\nb', 'a\u0085b'];

function valuesOf(field: BadField): unknown[] {
  switch (field.kind) {
    case 'label':
      return [...without('string'), '', ...tooLong(field.max), ...unstorable, ...unreadable];
    case 'note':
      return [...without('string'), ...tooLong(field.max), ...unstorable];
    case 'verbatim':
      return [
        ...without('string'),
        ...(field.mayBeEmpty ? [] : ['']),
        ...(field.max === undefined ? [] : tooLong(field.max)),
      ];
    case 'reference':
      return [...without('string'), ''];
    case 'word': {
      const [first] = field.words;
      return [...without('string'), '', 'nonsense', String(first).toUpperCase(), ` ${first}`];
    }
    case 'amount':
      return [
        ...without('number'),
        ...tooLarge,
        // A floor may be nothing, and what has more decimals is rounded up.
        ...(field.zero ? [] : [0, raw('-0'), raw('1.0000001'), raw('1e-7')]),
        ...[-1, -0.000001, raw('9007199254.740993'), raw('1e308')],
      ];
    case 'number':
      return [...without('number'), ...tooLarge, -1, raw('1e-9')];
    case 'integer':
      return [...without('number'), ...tooLarge, field.min - 1, field.max + 1, field.min + 0.5];
    case 'boolean':
      return without('boolean');
    case 'object':
      return without('object');
    case 'list':
      return without('array');
  }
}

const malformedTexts = [
  'nonsense',
  ' ',
  '👑',
  'a\u0000b',
  '\ud800',
  "'; drop table users; --",
  'x'.repeat(60_000),
];

function malformedOf(field: BadField): BadCase[] {
  if (field.kind === 'reference') {
    return malformedTexts.map((value) => ({ value, expected: field.malformed }));
  }
  if (field.kind !== 'list') return [];
  const { path, malformed } = field;
  const at = { status: 400, error: /^invalid_request$/, field: `${path}.0` };
  const wrongTypes = [1, null, true, ...(field.ofObjects ? [] : [{}]), [], ['x'], raw('1e309')];
  const texts = malformed ? malformedTexts : [];
  return [
    ...wrongTypes.map((item) => ({ value: [item], expected: at })),
    ...texts.map((item) => ({ value: [item], expected: { field: `${path}.0`, ...malformed } as Malformed })),
  ];
}

/** A copy of `body` whose member at a dotted path is another. */
function withField(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  const parent = parts.reduce((at, part) => {
    at[part] ??= {};
    return at[part] as Record<string, unknown>;
  }, copy);
  if (value === remove) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** Rows of every table, except those that count requests. */
async function rowCounts(h: Harness): Promise<Record<string, number>> {
  const tables = await h.ctx.db.execute<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name !~ '^(budgets$|request_(log|counts))' order by 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const rows = await h.ctx.db.execute<{ n: number }>(
      sql`select count(*)::int as n from ${sql.identifier(name)}`,
    );
    counts[name] = rows[0]?.n ?? -1;
  }
  return counts;
}

const cursor = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`;
const badPages = [
  ...['', '0', '101', '-1', '1.0', '1.5', '1e1', '٣', 'x', '%00', '01', '1%20'].map((n) => `limit=${n}`),
  'limit=1&limit=2',
  'cursor=',
  'cursor=!',
  'cursor=%00',
  'cursor=nonsense',
  cursor(''),
  cursor('1772366400000.'),
  cursor(`99999999999999999.${newUuid()}`),
  cursor(`-1.${newUuid()}`),
  cursor(`1772366400000.${newUuid()}'; drop table users; --`),
  cursor(`1772366400000.${newId('ch')}`),
  `${cursor(`1772366400000.${newUuid()}`)}=`,
  cursor('9'.repeat(400)),
  cursor('\u0000'),
  `cursor=${'A'.repeat(9_000)}`,
  'cursor=MTc3&cursor=MTc3',
];

/** Parameters whose text is read for what it says, which not every text does. */
const readParameters = new Set(['types', 'created_from', 'created_to']);

/** Gives every parameter of every list of a surface every kind of nonsense; `get` fills in the variables of a path. */
export function describeBadLists(
  surface: Surface,
  get: (pathAndQuery: string) => Promise<ApiResponse>,
): void {
  const queryOf = ({ operation }: SurfaceOperation) =>
    (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  // A key reaches nothing of members, which "portal.test.ts" tries.
  const lists = surface.operations.filter(
    (one) => queryOf(one).some(({ name }) => name === 'limit') && !one.path.startsWith('/v1/members/'),
  );
  const refused = (response: ApiResponse) => {
    surface.refusalOf(response);
    return [response.status, response.body];
  };
  const invalid = (field: string) => [400, surface.failure('invalid_request', field)];

  describe.each(lists)('the list $path', (list) => {
    const { path } = list;
    // A log is read on after an event, and not by a cursor.
    const place = queryOf(list).some(({ name }) => name === 'after') ? 'after' : 'cursor';

    test('the list exists', async () => {
      expect((await get(`${path}?limit=1`)).status).toBe(200);
    });

    test('the list refuses every bad limit and cursor', async () => {
      const responses = badPages.map(async (query) => {
        const requested = query.replace(/\bcursor(?==)/g, place);
        const response = await get(`${path}?${requested}`);
        // A list by name takes any name that its rows could have.
        if (/id-types$/.test(path) && query.startsWith('cursor=') && response.status === 200) return;
        expect(refused(response), requested).toEqual(invalid(requested.split('=')[0] ?? ''));
      });
      await Promise.all(responses);
    });

    test('the list takes filters of its words alone, and finds nothing for what does not exist', async () => {
      const filters = queryOf(list).filter(({ name }) => name !== 'limit' && name !== place);
      for (const { name: given, schema } of filters) {
        const name = String(given);
        const ask = (text: string) => get(`${path}?${name}=${text}`);
        expect(refused(await ask(`a&${name}=b`)), `${name} twice`).toEqual(invalid(name));
        if (schema?.enum) {
          const [first] = schema.enum;
          for (const word of ['', 'nonsense', String(first).toUpperCase(), `${first}%00`]) {
            expect(refused(await ask(word)), `${name}=${word}`).toEqual(invalid(name));
          }
          // A table is no JSON.
          const words = name === 'format' ? ['json'] : schema.enum;
          for (const word of words) expect((await ask(String(word))).status).toBe(200);
          continue;
        }
        if (name.startsWith('created_')) {
          for (const text of ['', 'x', '%00', '%ED%A0%80', '2026-03-01', '2026-02-30T00:00:00Z']) {
            expect(refused(await ask(text)), `${name}=${text}`).toEqual(invalid(name));
          }
          expect((await ask('2026-03-01T12:00:00%2B05:00')).status).toBe(200);
          continue;
        }
        if (name === 'q') {
          expect(refused(await ask('')), 'q=').toEqual(invalid('q'));
          for (const text of ['x', '%00', '%25', "'%20or%201=1--"])
            expect((await ask(text)).status).toBe(200);
          continue;
        }
        const nowhere = ['', 'x', '%00', '%ED%A0%80', "'%20or%201=1--", newUuid(), newWallet().address];
        if (readParameters.has(name)) {
          for (const text of nowhere) {
            expect(refused(await ask(text)), `${name}=${text}`).toEqual(invalid(name));
          }
          continue;
        }
        const responses = nowhere.map(async (text) => {
          const { status, body, text: shown } = await ask(text);
          expect(status, `${name}=${text}: ${shown}`).toBe(200);
          expect(Object.values(body.data ?? body).find(Array.isArray), `${name}=${text}`).toEqual([]);
        });
        await Promise.all(responses);
      }
    });
  });
}
