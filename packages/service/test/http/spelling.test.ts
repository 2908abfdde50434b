import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, harness } from '../harness.js';
import { type Operators, operatorBase, startOperators } from '../operators.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';

/** The same route and the same thing, written in another way. */

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness({ config: { webhooksAllowLocal: true } });
  operators = await startOperators(h);
  await seedDenominations(h);
});
afterAll(async () => {
  await operators?.close();
  await h?.close();
});

test('a trailing slash is the same route', async () => {
  const user = await h.givenUser(h.main.partnerId);
  const { client } = h.main;
  for (const path of ['/health', '/v1/users', '/v1/trades', `/v1/users/${user.id}`]) {
    const [bare, slashed] = [await client.get(path), await client.get(`${path}/`)];
    expect([path, slashed.status, Object.keys(slashed.body)]).toEqual([path, 200, Object.keys(bare.body)]);
  }
  expect((await client.get('/v1/trades/?limit=0')).body.field).toBe('limit');
  expect(await client.post('/v1/buy/', {})).toMatchObject({
    status: 400,
    body: { error: 'invalid_request' },
  });
  expect(await client.get('/v1/buy/')).toMatchObject({
    status: 405,
    headers: { allow: 'POST' },
    body: { error: 'method_not_allowed' },
  });
  expect((await operators.by.viewer.client.get(`${operatorBase}/partners/`)).status).toBe(200);
});

test('a path with an empty id is not found', async () => {
  const { client } = h.main;
  const responses = [
    await client.get('/v1/users//balances'),
    await client.post('/v1/redemptions//cancel'),
    await client.post('/v1/buy//submit', { signed_tx: 'AQ==' }),
    await client.get('/v1/operations/'),
  ];
  for (const { status, body } of responses) expect([status, body.error]).toEqual([404, 'not_found']);
});

test('an id in capitals is that in lower case', async () => {
  const { client } = h.main;
  const user = await h.givenUser(h.main.partnerId);
  const redemption = await givenRedemption(h, { partner: h.main, user });
  const { body: endpoint } = await client.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:1024/' });
  for (const [path, name, id] of [
    ['/v1/users', 'service_user_id', user.id],
    ['/v1/redemptions', 'redemption_id', redemption],
    ['/v1/webhook-endpoints', 'endpoint_id', endpoint.endpoint_id],
  ] as const) {
    const response = await client.get(`${path}/${id.toUpperCase()}`);
    expect([response.status, response.body[name]]).toEqual([200, id]);
  }
  const { body } = await client.get(`/v1/redemptions?service_user_id=${user.id.toUpperCase()}`);
  expect(body.redemptions).toMatchObject([{ redemption_id: redemption }]);
});
