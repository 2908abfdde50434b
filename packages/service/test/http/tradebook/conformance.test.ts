import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeTradebookApi } from '../../../src/http/app.js';
import type { OpenApiDocument } from '../../../src/http/openapi/conventions.js';
import type { JsonSchema } from '../../../src/http/openapi/examples.js';
import { expanded } from '../../expanded.js';
import { type Harness, harness } from '../../harness.js';

/** Statements of the specification about the tradebook API as a whole; docs/conformance.md says which. */

const document = (await describeTradebookApi()) as OpenApiDocument;
const operations = Object.entries(expanded(document).paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);
const keyed = operations.filter(({ operation }) => operation.security?.length === 1);

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

test('the routes are those of the specification and of what it leaves open, with methods and authentication', () => {
  const specified = [
    ['key', 'put /api/distribution/partner/{partnerId}/executive-authority'],
    ['key', 'post /api/trading/purchases/partner'],
    ['none', 'post /api/transactions/submit'],
  ];
  const additions = [
    ['none', 'post /api/auth/challenge'],
    ['none', 'post /api/auth/api-key'],
    ['key', 'get /api/auth/api-keys'],
    ['key', 'post /api/auth/api-keys/{keyId}/revoke'],
    ['key', 'get /api/distribution/partner/me'],
    ['none', 'get /api/trading/gold/price'],
    ['key', 'post /api/trading/estimate/buy'],
    ['key', 'post /api/trading/estimate/sell'],
    ['key', 'get /api/trading/purchases/{purchaseId}'],
    ['key', 'post /api/trading/sales/partner'],
    ['key', 'get /api/trading/sales/{sellId}'],
    ['key', 'post /api/trading/withdrawals'],
    ['key', 'get /api/trading/withdrawals/{withdrawalId}'],
    ['none', 'post /api/transactions/submit-batch'],
  ];
  const found = operations.map(({ method, path, operation }) => [
    operation.security?.length === 1 ? 'key' : 'none',
    `${method} ${path}`,
  ]);
  expect(found.sort()).toEqual([...specified, ...additions].sort());
});

test.each(keyed)('$method $path is 401 without a key and with one that is none', async ({ method, path }) => {
  const url = path.replace(/\{\w+\}/g, 'x');
  for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': `service_tradebook_${'0'.repeat(64)}` }]) {
    const answer = await h.anonymous.send({
      method: method.toUpperCase() as 'GET',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'get' ? {} : { payload: '{}' }),
    });
    expect(answer).toMatchObject({
      status: 401,
      body: { success: false, error: { code: 'unauthorized', message: expect.stringMatching(/\S/) } },
    });
  }
});

test('every path starts with /api and has no version', () => {
  for (const path of Object.keys(document.paths)) {
    expect(path).toMatch(/^\/api\//);
    expect(path).not.toMatch(/\/v\d/);
  }
});

test('every success is of success and data, every error of success and error', () => {
  for (const { method, path, operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const schema = Object.values(response.content ?? {})[0]?.schema as JsonSchema;
      const members = Object.keys(schema.properties ?? {}).sort();
      const wanted = status.startsWith('2') ? ['data', 'success'] : ['error', 'success'];
      expect(members, `${method} ${path} ${status}`).toEqual(wanted);
    }
  }
});

test('every field is written in camelCase, in what is asked and in what is answered', () => {
  const names = operations.flatMap(({ operation }) => [
    ...(operation.parameters ?? []).flatMap(({ in: where, name }) => (where === 'header' ? [] : [name])),
    ...[operation.requestBody, ...Object.values(operation.responses)].flatMap((body) =>
      Object.values(body?.content ?? {}).flatMap(({ schema }) => namesOf(schema ?? {})),
    ),
  ]);
  const fields = names.filter((name) => name !== undefined);
  expect(fields.length).toBeGreaterThan(150);
  for (const name of fields) expect(name).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
});

test('nothing calls back: there is no event, webhook or callback', () => {
  expect(Object.keys(document)).not.toContain('webhooks');
  for (const { operation } of operations) expect(Object.keys(operation)).not.toContain('callbacks');
});

describe('its description is served with it', () => {
  test('the document, to everybody', async () => {
    const answer = await h.anonymous.get('/api/openapi.json');
    expect([answer.status, answer.body]).toEqual([200, JSON.parse(JSON.stringify(document))]);
  });

  test('the page, which shows that document', async () => {
    const page = await h.app.inject({ method: 'GET', url: '/api/docs' });
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain('Karat tradebook API');
    const shown = await h.app.inject({ method: 'GET', url: '/api/docs/json' });
    expect(JSON.parse(shown.body)).toEqual(JSON.parse(JSON.stringify(document)));
    const script = await h.app.inject({ method: 'GET', url: '/api/docs/static/swagger-ui-bundle.js' });
    expect(script.statusCode).toBe(200);
  });
});

/** Names of all members of a schema, at any depth; what is free-form has none. */
function namesOf(schema: JsonSchema): string[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const members = Object.entries(schema.properties ?? {});
  return [
    ...members.flatMap(([name, part]) => [name, ...namesOf(part)]),
    ...parts.flatMap((part) => namesOf(part)),
  ];
}
