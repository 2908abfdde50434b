import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { type Answer, type Harness, harness, newWallet } from '../../harness.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { seedDenominations } from '../../redeeming.js';
import { type ContractRoute, contractRoutes, methodOf, pathOf, variablesOf } from './contract-routes.js';

/**
 * Every field of every body, every id in a path and every parameter of every list, given every kind of nonsense: answered
 * with what the contract says of it, never with a 500, and nothing is left behind. The routes, fields and parameters are
 * read from the application, so that none can be forgotten.
 */
let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  await seedDenominations(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  enum?: unknown[];
  maxLength?: number;
  items?: Schema;
}

function schemasOf(route: ContractRoute): { body?: Schema; querystring?: Schema } {
  const found = operators.routes.find(
    ({ url, method }) => `${method} ${url.slice(operatorBase.length)}` === route.name,
  );
  if (!found) throw new Error(`there is no ${route.name}`);
  const { body, querystring } = (found.schema ?? {}) as { body?: Schema; querystring?: Schema };
  return { ...(body ? { body: objectOf(body) } : {}), ...(querystring ? { querystring } : {}) };
}

/** The object of a body that may be left out. */
const objectOf = (body: Schema): Schema => body.anyOf?.find(({ type }) => type === 'object') ?? body;

const sendRaw = (route: ContractRoute, payload: string | undefined, path = pathOf(route)): Promise<Answer> =>
  operators.by.admin.client.send({
    method: methodOf(route),
    url: `${operatorBase}${path}`,
    ...(payload === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload }),
  });
const sendBody = (route: ContractRoute, body: unknown) => sendRaw(route, toJson(body));

/** A number that JavaScript cannot hold or write, as it stands in the JSON text. */
const raw = (text: string) => `@raw:${text}@`;
const toJson = (body: unknown) => JSON.stringify(body).replace(/"@raw:([^@]+)@"/g, '$1');

function expectRefused(answer: Answer, field: string | undefined, what: string): void {
  expect(answer, what).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', message: expect.any(String), ...(field ? { field } : {}) },
  });
}

/** Side by side: there are thousands. */
const each = <T>(values: T[], look: (value: T) => Promise<void>) => Promise.all(values.map(look));

async function counts(): Promise<unknown> {
  const tables = await h.ctx.db.execute<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not in ('auth_attempts', 'key_budgets') order by 1`);
  const found = await Promise.all(
    tables.map(async ({ name }) => [
      name,
      (await h.ctx.db.execute(sql`select count(*) as n from ${sql.identifier(name)}`))[0]?.n,
    ]),
  );
  return found;
}

const withBodies = contractRoutes.filter(({ name }) => !/^(GET|DELETE) /.test(name));

describe('bodies', () => {
  let before: unknown;
  beforeAll(async () => {
    before = await counts();
  });

  describe.each(withBodies)('of $name', (route) => {
    test('has a good one in the table, with every field that the route takes, and those that it needs', () => {
      const { body } = schemasOf(route);
      const fields = Object.keys(route.good?.() ?? {}).sort();
      expect(Object.keys(body?.properties ?? {}).sort()).toEqual(fields);
      const needed = fields.filter((field) => !route.optional?.includes(field));
      expect((body?.required ?? []).toSorted()).toEqual(needed);
    });

    test('names no field that the route does not know', async () => {
      const fields = ['role', 'status', 'operator_id', 'partner_id', 'actor', 'Reason', 'toString', ''];
      await each(fields, async (field) => {
        if (field in (schemasOf(route).body?.properties ?? {})) return;
        const answer = await sendBody(route, { ...route.good?.(), [field]: 'admin' });
        expectRefused(answer, field === '' ? undefined : field, field);
        expect(answer.body.message).toContain('not a field');
      });
      for (const key of ['__proto__', 'constructor']) {
        const text = toJson({ ...route.good?.(), '@': { role: 'admin' } }).replace('"@"', `"${key}"`);
        expectRefused(await sendRaw(route, text), key, key);
      }
    });

    test('is a JSON object', async () => {
      for (const text of ['{', '[]', '"text"', '1', 'true', '{"a":1,}', '\u0000', '['.repeat(40_000)]) {
        expectRefused(await sendRaw(route, text), undefined, text.slice(0, 20));
      }
      const { client } = operators.by.admin;
      const at = { method: methodOf(route), url: `${operatorBase}${pathOf(route)}` };
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect(await client.send({ ...at, headers: form, payload: 'reason=x' })).toMatchObject({
        status: 415,
        body: { error: 'unsupported_media_type' },
      });
      expect(await sendRaw(route, JSON.stringify({ note: 'x'.repeat(70_000) }))).toMatchObject({
        status: 413,
        body: { error: 'payload_too_large' },
      });
    });

    test('has every field of its type, and those that are required', async () => {
      for (const { path, schema, required } of fieldsOf(schemasOf(route).body ?? {})) {
        await each(wrongFor(path, schema), async (value) => {
          const body = withField(route.good?.() ?? {}, path, value);
          expectRefused(await sendBody(route, body), path.join('.'), `${path}: ${JSON.stringify(value)}`);
        });
        if (required)
          expectRefused(await sendBody(route, withField(route.good?.() ?? {}, path)), path.join('.'), 'none');
      }
    });
  });

  test('wrote nothing by any of these', async () => {
    expect(await counts()).toEqual(before);
  });
});

interface Field {
  path: string[];
  schema: Schema;
  required: boolean;
}

function fieldsOf({ properties = {}, required = [] }: Schema, parent: string[] = []): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...parent, name];
    return [{ path, schema, required: required.includes(name) }, ...fieldsOf(schema, path)];
  });
}

const mayBeEmpty = ['note'];

/** What no field of that kind takes. */
function wrongFor(path: string[], schema: Schema): unknown[] {
  const { type, enum: words, maxLength } = schema;
  const scalars = { string: 'text', number: 1, boolean: true };
  const others = Object.entries(scalars).flatMap(([kind, value]) =>
    kind === type || (kind === 'number' && type === 'integer') ? [] : [value],
  );
  const common = [null, {}, [], [1], ...others].filter(
    (value) =>
      !(type === 'object' && JSON.stringify(value) === '{}') && !(type === 'array' && Array.isArray(value)),
  );
  if (words) return [...common, '', 'nonsense', String(words[0]).toUpperCase(), ` ${words[0]}`];
  if (type === 'string') {
    const tooLong = maxLength ? ['x'.repeat(maxLength + 1)] : [];
    return [...common, ...(mayBeEmpty.includes(path.join('.')) ? [] : ['']), ...tooLong];
  }
  if (type === 'integer') return [...common, 0.5, -1, 10_001, raw('1e309'), raw('-1e309'), 2 ** 53];
  if (type === 'number') return [...common, -1, raw('1e309'), raw('1e-9'), 2 ** 53];
  return common;
}

/** A copy of `body` whose member at a path is another, or is missing. */
function withField(body: Record<string, unknown>, path: string[], value?: unknown): Record<string, unknown> {
  const copy = structuredClone(body);
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce((at, part) => at[part] as Record<string, unknown>, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** Text fields for people: what may be in a name, a label, a reason, a note. */
describe('text for people', () => {
  const labelled = withBodies.flatMap((route) =>
    Object.keys(route.good?.() ?? {})
      .filter((field) => ['name', 'label', 'city', 'reason', 'note', 'pattern'].includes(field))
      .map((field) => ({ route, field, at: `${field} of ${route.name}` })),
  );
  test.each(labelled)('$at cannot be blank, nor hold what no database or terminal takes', async (one) => {
    const { route, field } = one;
    const unstorable = ['a\u0000b', '\ud800', 'a\udfffb'];
    const unreadable = ['\t', ' \u00a0 ', 'a\u001bb', 'a\nb', 'a\u0085b'];
    // A note may have lines.
    await each(field === 'note' ? unstorable : [...unstorable, ...unreadable], async (text) => {
      const answer = await sendBody(route, { ...route.good?.(), [field]: text });
      expectRefused(answer, field, JSON.stringify(text));
    });
  });
});

describe.each(contractRoutes.filter((route) => variablesOf(route).length > 0))('ids in $name', (route) => {
  const catastrophic = [
    'x',
    '0',
    'null',
    '__proto__',
    'constructor',
    '%00',
    '%0a',
    '%F0%9F%91%91',
    "'%20or%201=1--",
    '*',
    '..%2f..%2fme',
    `${'a'.repeat(5_000)}!`,
    `${'gu_'.repeat(1_000)}`,
    newUuid().replaceAll('-', ''),
    `%20${newUuid()}`,
    `${newUuid()}%0a`,
    newId('ch'),
  ];

  test.each(variablesOf(route))('%s that nobody has is 404, whatever it looks like', async (variable) => {
    // What is made by a PUT of one country is no id type of the other.
    const known = variable === 'code' ? {} : { code: methodOf(route) === 'PUT' ? 'AE' : 'PK' };
    await each(catastrophic, async (id) => {
      const path = pathOf(route, { ...known, [variable]: id });
      const answer = await sendRaw(route, route.good ? toJson(route.good()) : undefined, path);
      if (putsByName(route, variable)) return;
      expect(answer.status, `${id}: ${answer.text}`).toBe(404);
      expect(answer.body.error).toMatch(/not_found$/);
    });
  });

  test('that cannot even be decoded is 400', async () => {
    const [variable = ''] = variablesOf(route);
    for (const id of ['%', '%zz', '%C0%80']) {
      const answer = await sendRaw(route, undefined, pathOf(route, { [variable]: id }));
      expect([400, 404], answer.text).toContain(answer.status);
    }
  });
});

/** A PUT makes what is not there: its names are checked by the tests of countries. */
function putsByName({ name }: ContractRoute, variable: string): boolean {
  return name === 'PUT /countries/:code' || (name.startsWith('PUT ') && variable === 'id_type');
}

const lists = contractRoutes.filter(({ name }) =>
  /^GET (\/(operators|partners|api-keys|countries|denominations|users|redemptions|approvals|trades|orders|audit|dead-letters)$|.*(tokens|api-keys|id-types)$)/.test(
    name,
  ),
);

test('every route with a limit is a list', () => {
  const limited = contractRoutes.filter((route) => schemasOf(route).querystring?.properties?.limit);
  expect(limited).toEqual(lists);
});

const cursor = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`;
const badPages = [
  ...['', '0', '101', '-1', '1.0', '1e1', '٣', 'x', '%00', '01', '1%20'].map((limit) => `limit=${limit}`),
  'limit=1&limit=2',
  'cursor=',
  'cursor=!',
  'cursor=%00',
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

describe.each(lists)('the list $name', (route) => {
  const known = () => ({
    code: 'PK',
    partner_id: h.main.partnerId,
    operator_id: operators.by.viewer.operatorId,
  });
  const get = (query: string) => sendRaw(route, undefined, `${pathOf(route, known())}?${query}`);

  test('is there', async () => {
    expect((await get('limit=1')).status).toBe(200);
  });

  test('refuses every bad limit and cursor', async () => {
    await each(badPages, async (query) => {
      const answer = await get(query);
      // A list by name takes any name that its rows could have.
      if (/id-types$/.test(route.name) && query.startsWith('cursor=') && answer.status === 200) return;
      expectRefused(answer, query.split('=')[0], query);
    });
  });

  test('takes filters of its words alone, and finds nothing for what is nowhere', async () => {
    const { cursor: _, limit: __, ...filters } = schemasOf(route).querystring?.properties ?? {};
    for (const [name, schema] of Object.entries(filters)) {
      expectRefused(await get(`${name}=a&${name}=b`), name, `${name} twice`);
      if (schema.enum) {
        for (const word of ['', 'nonsense', String(schema.enum[0]).toUpperCase(), `${schema.enum[0]}%00`]) {
          expectRefused(await get(`${name}=${word}`), name, `${name}=${word}`);
        }
        for (const word of schema.enum) expect((await get(`${name}=${word}`)).status).toBe(200);
        continue;
      }
      const nowhere = ['', 'x', '%00', '%ED%A0%80', "'%20or%201=1--", newUuid(), newWallet().address];
      await each(nowhere, async (text) => {
        const answer = await get(`${name}=${text}`);
        expect(answer.status, `${name}=${text}: ${answer.text}`).toBe(200);
        const rows = Object.values(answer.body).find(Array.isArray);
        expect(rows, `${name}=${text}`).toEqual([]);
      });
    }
  });
});
