import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { type ApiResponse, clientOf, expectStatus, type Harness, harness } from '../../harness.js';
import { type GivenOperator, type Operators, operatorBase, send, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const apps = new Set<FastifyInstance>();
afterEach(async () => {
  for (const app of apps) await app.close();
  apps.clear();
});

/** The operator API as another process would run it, with that budget. */
async function appOf(operatorRateLimitPerMinute: number) {
  const app = await buildOperatorApp({ ...h.ctx, config: { ...h.ctx.config, operatorRateLimitPerMinute } });
  apps.add(app);
  return app;
}

const me = `${operatorBase}/me`;
const withToken = (app: FastifyInstance, { token }: GivenOperator) =>
  clientOf(app, { authorization: `Bearer ${token}` });
const stateOf = ({ status, headers }: ApiResponse) => [
  status,
  headers['ratelimit-limit'],
  headers['ratelimit-remaining'],
  headers['ratelimit-reset'],
];

test('so many requests of an operator pass, and the next is 429 until there is room again', async () => {
  const client = withToken(await appOf(3), await operators.givenOperator('viewer'));
  for (let left = 2; left >= 0; left -= 1) {
    expect(stateOf(await client.get(me))).toEqual([200, '3', String(left), '60']);
  }
  h.clock.advance(20_000);
  for (let again = 0; again < 2; again += 1) {
    const refused = await client.get(me);
    expect(stateOf(refused)).toEqual([429, '3', '0', '40']);
    expect(refused).toMatchObject({
      headers: { 'retry-after': '40' },
      body: {
        error: 'rate_limited',
        message: 'Only 3 requests a minute are allowed here; try again in 40 s.',
      },
    });
  }
  h.clock.advance(40_000);
  expect(stateOf(await client.get(me))).toEqual([200, '3', '2', '60']);
});

test('a request above the limit changes nothing', async () => {
  const client = withToken(await appOf(1), await operators.givenOperator('admin'));
  expectStatus(await client.get(me), 200);
  const put = send(client, 'PUT', '/countries/LI', { name: 'Liechtenstein', active: true });
  expect((await put).status).toBe(429);
  expect(await h.ctx.sql`select 1 from countries where code = 'LI'`).toHaveLength(0);
});

test('the budget is that of one operator, by whichever way in and process', async () => {
  const [one, two] = [await appOf(3), await appOf(3)];
  const operator = await operators.givenOperator('viewer');
  const other = await operators.givenOperator('viewer');
  const { email, password } = operator;
  const signedIn = await send(clientOf(one, {}), 'POST', '/session', { email, password });
  const cookie = String(expectStatus(signedIn, 200).headers['set-cookie']).split(';')[0] ?? '';
  const ways = [withToken(one, operator), clientOf(two, { cookie }), withToken(two, operator)];
  for (const [index, client] of ways.entries()) {
    expect(stateOf(await client.get(me))).toEqual([200, '3', String(2 - index), '60']);
  }
  for (const client of ways) expect((await client.get(me)).status).toBe(429);
  expect(stateOf(await withToken(one, other).get(me))).toEqual([200, '3', '2', '60']);
  // Signing in has a limit of its own.
  expect((await send(clientOf(one, {}), 'POST', '/session', { email, password })).status).toBe(200);
});

test('concurrent requests never exceed the budget of the operator', async () => {
  const client = withToken(await appOf(5), await operators.givenOperator('viewer'));
  const responses = await Promise.all(Array.from({ length: 20 }, () => client.get(me)));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(15);
});

test('an unknown caller has used nothing up, and a request that a role may not make counts', async () => {
  const app = await appOf(2);
  const noOperator = clientOf(app, { authorization: `Bearer karat_operator_${'0'.repeat(64)}` });
  for (let again = 0; again < 4; again += 1) {
    expect(stateOf(await noOperator.get(me))).toEqual([401, '2', '2', '60']);
  }
  const viewer = withToken(app, await operators.givenOperator('viewer'));
  const forbidden = await send(viewer, 'PUT', '/countries/LI', { name: 'Liechtenstein', active: true });
  expect(stateOf(forbidden)).toEqual([403, '2', '1', '60']);
});
