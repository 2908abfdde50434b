import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Harness } from './harness.js';

/**
 * The table of bad input: every field of a body, given every kind of nonsense, has to be answered with a 400 that names
 * the field, never with a 500, and must leave nothing behind. A route adds itself with one call of `describeBadInput`.
 */

/** How a malformed text is answered where that is no 400 `invalid_request`: an unknown id, a wallet that is no key. */
export interface Malformed {
  status: number;
  /** One code, or several where it depends on the text. */
  error: string | RegExp;
  field?: string;
}

export type BadField =
  /** Text for people, of at most so many characters. */
  | { path: string; kind: 'label'; max: number }
  /** Any text of at most so many characters. */
  | { path: string; kind: 'verbatim'; max: number }
  /** An id, address, code or signature, and what a malformed one is answered with. */
  | { path: string; kind: 'reference'; malformed: Malformed }
  /** A positive amount of USDC or GOLD; `zero: true` when 0 is fine. */
  | { path: string; kind: 'amount'; optional?: boolean; zero?: boolean }
  /** A whole number within bounds. */
  | { path: string; kind: 'integer'; min: number; max: number; optional?: boolean }
  | { path: string; kind: 'object'; optional?: boolean }
  /** A list of ids, addresses and the like, and what a malformed one is answered with, at its place. */
  | { path: string; kind: 'list'; optional?: boolean; malformed?: Malformed };

export interface BadInputTable {
  /** Sends a body, given as JSON text. */
  send(json: string): Promise<Answer>;
  /** A body that the route takes; asked anew for every request. */
  good(): Record<string, unknown>;
  /** The good body of the end, where one of the beginning would be too old by then; default: `good`. */
  goodAtLast?(): Promise<Record<string, unknown>>;
  fields: BadField[];
  harness(): Harness;
}

/** A number that JavaScript cannot hold or write, as it stands in the JSON text. */
const raw = (text: string) => `@raw:${text}@`;
const remove = Symbol('remove');

const malformedTexts = [
  'nonsense',
  ' ',
  '👑',
  'a\u0000b',
  '\ud800',
  "'; drop table users; --",
  'x'.repeat(60_000),
];

interface BadCase {
  name: string;
  value: unknown;
  expected?: Malformed;
}

export function describeBadInput(route: string, table: BadInputTable): void {
  describe(route, () => {
    let before: unknown;
    beforeAll(async () => {
      before = await rowCounts(table.harness());
    });

    for (const field of table.fields) {
      test.each(casesOf(field))(`${field.path}: $name`, async ({ value, expected }) => {
        const answer = await table.send(toJson(withField(table.good(), field.path, value)));
        const wanted = expected ?? { status: 400, error: /^invalid_request$/, field: field.path };
        expect({ status: answer.status, ...refusalOf(answer) }).toMatchObject({
          status: wanted.status,
          code: expect.stringMatching(wanted.error),
          message: expect.stringMatching(/\S/),
          ...(wanted.field ? { field: wanted.field } : {}),
        });
        expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      });
    }

    test('nothing was written by any of these', async () => {
      expect(await rowCounts(table.harness())).toEqual(before);
    });

    test('the good body is taken, so that it was the fields that were refused', async () => {
      const answer = await table.send(toJson((await table.goodAtLast?.()) ?? table.good()));
      expect([200, 201]).toContain(answer.status);
    });
  });
}

/** Code, text and field of a refusal, in the words of either API. */
function refusalOf({ body }: Answer): { code: unknown; message: unknown; field?: unknown } {
  if (typeof body.error === 'object') {
    expect(Object.keys(body).sort()).toEqual(['error', 'success']);
    expect(body.success).toBe(false);
    return body.error;
  }
  return { ...body, code: body.error };
}

function casesOf(field: BadField): BadCase[] {
  const optional = 'optional' in field && field.optional === true;
  return [
    ...(optional ? [] : [{ name: 'missing', value: remove }]),
    { name: 'null', value: null },
    { name: 'a boolean', value: true },
    ...(field.kind === 'list' ? [] : [{ name: 'a list', value: [] }]),
    ...kindCases(field),
  ];
}

const tooLong = (max: number): BadCase[] => [
  { name: 'too long', value: 'x'.repeat(max + 1) },
  { name: 'too long in code points', value: '👑'.repeat(max + 1) },
  { name: 'far too long', value: 'x'.repeat(60_000) },
];

function kindCases(field: BadField): BadCase[] {
  switch (field.kind) {
    case 'verbatim':
      return [...notText, ...tooLong(field.max)];
    case 'label':
      return [
        ...notText,
        { name: 'empty', value: '' },
        { name: 'blank', value: ' \u00a0 ' },
        ...tooLong(field.max),
        { name: 'NUL', value: 'a\u0000b' },
        { name: 'a control character', value: 'a\u001bb' },
        { name: 'a line break', value: 'a\nb' },
        { name: 'a C1 control character', value: 'a\u0085b' },
        { name: 'half of a surrogate pair', value: 'a\ud800b' },
      ];
    case 'reference':
      return [
        ...notText,
        { name: 'empty', value: '' },
        ...malformedTexts.map((value) => ({
          name: `malformed: ${JSON.stringify(value).slice(0, 30)}`,
          value,
          expected: field.malformed,
        })),
      ];
    case 'amount':
      return [
        ...notNumber,
        ...(field.zero
          ? []
          : [
              { name: 'zero', value: 0 },
              { name: 'minus zero', value: raw('-0') },
            ]),
        { name: 'negative', value: -1 },
        { name: 'negative and tiny', value: -0.000001 },
        { name: '7 decimals', value: raw('1.0000001') },
        { name: '7 decimals in an exponent', value: raw('1e-7') },
        { name: '2^53', value: 2 ** 53 },
        { name: '2^53 base units and one', value: raw('9007199254.740993') },
        { name: '1e308', value: raw('1e308') },
      ];
    case 'integer':
      return [
        ...notNumber,
        { name: 'below the least', value: field.min - 1 },
        { name: 'above the most', value: field.max + 1 },
        { name: 'a fraction', value: field.min + 0.5 },
        { name: '2^53', value: 2 ** 53 },
      ];
    case 'object':
      return [
        { name: 'a text', value: 'text' },
        { name: 'a number', value: 1 },
        { name: 'an empty text', value: '' },
      ];
    case 'list':
      return listCases(field);
  }
}

function listCases({ path, malformed }: Extract<BadField, { kind: 'list' }>): BadCase[] {
  const at = { status: 400, error: /^invalid_request$/, field: `${path}.0` };
  const wrongType = [1, null, true, {}, [], ['x'], raw('1e309')].map((item) => ({
    name: `an item that is ${JSON.stringify(item)}`,
    value: [item],
    expected: at,
  }));
  return [
    ...notText,
    { name: 'a text', value: 'text' },
    ...wrongType,
    ...malformedTexts.map((item) => ({
      name: `malformed: ${JSON.stringify(item).slice(0, 30)}`,
      value: [item],
      ...(malformed ? { expected: { field: `${path}.0`, ...malformed } } : {}),
    })),
  ].filter(({ name }) => malformed !== undefined || !name.startsWith('malformed'));
}

const notText: BadCase[] = [
  { name: 'a number', value: 1 },
  { name: '1e309', value: raw('1e309') },
  { name: 'an object', value: {} },
];

const notNumber: BadCase[] = [
  { name: 'a text', value: '1' },
  { name: 'an empty text', value: '' },
  { name: 'an object', value: {} },
  { name: '1e309', value: raw('1e309') },
  { name: '-1e309', value: raw('-1e309') },
  { name: 'NaN in a text', value: 'NaN' },
];

function toJson(body: unknown): string {
  return JSON.stringify(body).replace(/"@raw:([^@]+)@"/g, '$1');
}

/** A copy of `body` whose member at a dotted path is another. */
function withField(body: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(body);
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  let parent: Record<string, unknown> = copy;
  for (const part of parts) parent = parent[part] as Record<string, unknown>;
  if (value === remove) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** Rows of every table, except those that count requests. */
async function rowCounts(h: Harness): Promise<Record<string, number>> {
  const tables = await h.ctx.db.execute<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not in ('auth_attempts', 'key_budgets') order by 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const rows = await h.ctx.db.execute<{ n: number }>(
      sql`select count(*)::int as n from ${sql.identifier(name)}`,
    );
    counts[name] = rows[0]?.n ?? -1;
  }
  return counts;
}
