import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, newUuid } from '../../../src/domain/ids.js';
import type { JsonSchema } from '../../../src/http/openapi/examples.js';
import { type ApiResponse, type Harness, harness } from '../../harness.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { seedDenominations } from '../../redeeming.js';
import {
  type ContractRoute,
  contractRoutes,
  methodOf,
  pathOf,
  variablesOf,
} from '../operator/contract-routes.js';
import {
  type BadField,
  type BadInputTable,
  bodyOf,
  describeBadInput,
  describeBadLists,
  fieldsOf,
  toJson,
} from './bad-input.js';
import { operator } from './surfaces.js';

/** The fields of bodies are those of the contract's good ones, and their kinds those of the document. */

let h: Harness;
let operators: Operators;
let endpointId: string;
beforeAll(async () => {
  h = await harness({ config: { webhooksAllowLocal: true } });
  const { body } = await h.main.client.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:1024/' });
  endpointId = body.endpoint_id;
  operators = await startOperators(h);
  await seedDenominations(h);
});
afterAll(async () => {
  await operators?.close();
  await h?.close();
});

const sendRaw = (
  route: ContractRoute,
  payload: string | undefined,
  path = pathOf(route),
): Promise<ApiResponse> =>
  operators.by.admin.client.send({
    method: methodOf(route),
    url: `${operatorBase}${path}`,
    ...(payload === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload }),
  });
const withBodies = contractRoutes.filter(({ name }) => !/^(GET|DELETE) /.test(name));
const documented = ({ name }: ContractRoute) =>
  name.replace(' ', ` ${operatorBase}`).replace(/:(\w+)/g, '{$1}');

const forPeople = ['name', 'label', 'city', 'reason', 'pattern', 'example'];
function kindOf(path: string, schema: JsonSchema): BadField {
  const { type, enum: words } = schema;
  const limit = (name: string) => Number(schema[name]);
  if (words) return { path, kind: 'word', words };
  const [either, or] = schema.anyOf ?? [];
  if (Array.isArray(type)) {
    const [first = 'null'] = type.filter((one) => one !== 'null');
    return { ...kindOf(path, { ...schema, type: first }), nullable: true };
  }
  // A limit: an amount, or the word for none.
  if (either?.type === 'number' && or) return { path, kind: 'amount' };
  if (forPeople.includes(path.slice(path.lastIndexOf('.') + 1)))
    return { path, kind: 'label', max: limit('maxLength') };
  switch (type) {
    case 'string':
      if (path === 'note') return { path, kind: 'note', max: limit('maxLength') };
      return { path, kind: 'verbatim', ...(schema.maxLength ? { max: limit('maxLength') } : {}) };
    case 'integer':
      return { path, kind: 'integer', min: limit('minimum'), max: limit('maximum') };
    case 'array':
      return { path, kind: 'list', ofObjects: schema.items?.type === 'object' };
    default:
      return { path, kind: type } as BadField;
  }
}

function tableOf(route: ContractRoute): BadInputTable {
  const good = (): object => route.good?.() ?? {};
  const described = new Map(
    fieldsOf(bodyOf(operator, documented(route))).map((field) => [field.path, field]),
  );
  const inner = [...described.keys()].filter((path) => path.includes('.'));
  const fields = [...Object.keys(good()), ...(route.instead ?? []), ...inner].map((path) => {
    const field = kindOf(path, described.get(path)?.schema ?? {});
    const mayBeLeftOut = [...(route.optional ?? []), ...(route.instead ?? [])].includes(path);
    const isNeeded = path.includes('.') ? described.get(path)?.required : !mayBeLeftOut;
    return isNeeded ? field : { ...field, optional: true };
  });
  const tooLarge = route.name.startsWith('POST /bars') ? 300_000 : 70_000;
  return { route: documented(route), send: (json) => sendRaw(route, json), good, fields, tooLarge };
}

describeBadInput(operator, {
  harness: () => h,
  tables: withBodies.map(tableOf),
  // Most are for things that do not exist.
  takesGood: false,
});

describe.each(withBodies)('a body of $name', (route) => {
  test('the body names no field that the route does not know', async () => {
    const fields = ['role', 'status', 'operator_id', 'partner_id', 'actor', 'Reason', 'toString', ''];
    const own = Object.keys(route.good?.() ?? {});
    const expectUnknown = async (json: string, field: string) => {
      const { status, body } = await sendRaw(route, json);
      expect([status, body.error, body.field ?? '']).toEqual([400, 'invalid_request', field]);
      return body.message;
    };
    for (const field of fields.filter((name) => !own.includes(name))) {
      const json = toJson({ ...route.good?.(), [field]: 'admin' });
      expect(await expectUnknown(json, field)).toContain('not a known field');
    }
    for (const key of ['__proto__', 'constructor']) {
      const json = toJson({ ...route.good?.(), '@': { role: 'admin' } }).replace('"@"', `"${key}"`);
      await expectUnknown(json, key);
    }
  });

  test('the body is no form', async () => {
    const { client } = operators.by.admin;
    const at = { method: methodOf(route), url: `${operatorBase}${pathOf(route)}` };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await client.send({ ...at, headers, payload: 'reason=x' });
    expect([response.status, response.body]).toEqual([415, operator.failure('unsupported_media_type')]);
  });
});

/** Routes that take a session refuse the token before they look at the id. */
const withIds = contractRoutes.filter((route) => variablesOf(route).length > 0 && !route.session);
describe.each(withIds)('ids in $name', (route) => {
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

  test.each(variablesOf(route))('an unknown id %s is 404, whatever it looks like', async (variable) => {
    // What is made by a PUT of one country is no id type of the other.
    const known = variable === 'code' ? {} : { code: methodOf(route) === 'PUT' ? 'AE' : 'PK' };
    const responses = catastrophic.map(async (id) => {
      const path = pathOf(route, { ...known, [variable]: id });
      const response = await sendRaw(route, route.good ? toJson(route.good()) : undefined, path);
      if (putsByName(route, variable)) return;
      expect(response.status, `${id}: ${response.text}`).toBe(404);
      expect(response.body.error).toMatch(/not_found$/);
    });
    await Promise.all(responses);
  });

  test('an id that cannot even be decoded is 400', async () => {
    const [variable = ''] = variablesOf(route);
    for (const id of ['%', '%zz', '%C0%80']) {
      const response = await sendRaw(route, undefined, pathOf(route, { [variable]: id }));
      expect([400, 404], response.text).toContain(response.status);
    }
  });
});

/** A PUT makes what is not there: its names are checked by the tests of countries. */
function putsByName({ name }: ContractRoute, variable: string): boolean {
  return name === 'PUT /countries/:code' || (name.startsWith('PUT ') && variable === 'id_type');
}

const known: Record<string, () => string> = {
  code: () => 'PK',
  partner_id: () => h.main.partnerId,
  operator_id: () => operators.by.viewer.operatorId,
  endpoint_id: () => endpointId,
};
describeBadLists(operator, (path) =>
  operators.by.admin.client.get(path.replace(/\{(\w+)\}/g, (_, name: string) => known[name]?.() ?? name)),
);

test('every route with a limit is a list', () => {
  const lists =
    /^GET (\/(operators|partners|api-keys|countries|denominations|users|redemptions|bars|approvals|trades|orders|audit|dead-letters|webhook-endpoints)$|.*(tokens|sessions|api-keys|id-types|deliveries)$)/;
  const limited = contractRoutes.filter((route) => {
    const found = operator.operations.find(
      ({ method, path }) => `${method.toUpperCase()} ${path}` === documented(route),
    );
    return found?.operation.parameters?.some(({ name }) => name === 'limit');
  });
  expect(limited).toEqual(contractRoutes.filter(({ name }) => lists.test(name)));
});
