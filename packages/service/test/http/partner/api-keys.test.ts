import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKeys } from '../../../src/db/schema.js';
import { newUuid } from '../../../src/domain/ids.js';
import { buildApp } from '../../../src/http/app.js';
import { clientOf, type Harness, harness } from '../../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const path = '/v1/partner/api-keys';

test("the list of keys has the partner's keys, active and revoked, newest first, without their values", async () => {
  const partner = await h.givenPartner();
  h.clock.advance(1_000);
  const { response: minted } = await h.mintKey(partner, 'second');
  await partner.client.post(`${path}/${minted.body.key_id}/revoke`);
  const response = await partner.client.get(path);
  expect(response.status).toBe(200);
  const now = new Date(h.clock.now()).toISOString();
  expect(response.body).toEqual({
    api_keys: [
      {
        key_id: minted.body.key_id,
        key_name: 'second',
        scope: 'PARTNER',
        status: 'revoked',
        wallet_address: partner.wallet.address,
        last_used_at: null,
        created_at: now,
        revoked_at: now,
      },
      {
        key_id: partner.keyId,
        key_name: 'harness',
        scope: 'PARTNER',
        status: 'active',
        wallet_address: partner.wallet.address,
        last_used_at: now,
        created_at: new Date(h.clock.now() - 1_000).toISOString(),
        revoked_at: null,
      },
    ],
    next_cursor: null,
  });
});

test('last_used_at is the latest use, and none ever goes back', async () => {
  const partner = await h.givenPartner();
  h.clock.advance(5_000);
  await partner.client.get('/v1/users/gu_x');
  const used = new Date(h.clock.now()).toISOString();
  expect((await partner.client.get(path)).body.api_keys[0].last_used_at).toBe(used);
  h.clock.advance(-2_000);
  expect((await partner.client.get(path)).body.api_keys[0].last_used_at).toBe(used);
});

test('a use is written within about a second, and at the latest when the app closes', async () => {
  const partner = await h.givenPartner();
  const app = await buildApp(h.ctx);
  const client = clientOf(app, { 'x-api-key': partner.apiKey });
  const lastUsed = async () => {
    const rows = await h.ctx.sql<
      { last_used_at: string }[]
    >`select last_used_at from api_keys where id = ${partner.keyId}`;
    return new Date(rows[0]?.last_used_at ?? 0);
  };
  await client.get('/v1/users/gu_x');
  await expect.poll(lastUsed, { timeout: 3_000 }).toEqual(new Date(h.clock.now()));
  h.clock.advance(60_000);
  await client.get('/v1/users/gu_x');
  await app.close();
  expect(await lastUsed()).toEqual(new Date(h.clock.now()));
});

test('pages hold what they promise while keys are added', async () => {
  const partner = await h.givenPartner();
  // Two keys a millisecond, so that pages end between keys of one moment.
  for (let i = 0; i < 6; i += 1) {
    if (i % 2) h.clock.advance(1);
    await h.mintKey(partner, `k${i}`);
  }
  const all = (await partner.client.get(path)).body.api_keys.map((key: { key_id: string }) => key.key_id);
  expect(all).toHaveLength(7);
  const seen: string[] = [];
  let cursor = '';
  do {
    const response = await partner.client.get(`${path}?limit=2${cursor && `&cursor=${cursor}`}`);
    expect(response.status).toBe(200);
    expect(response.body.api_keys.length).toBeLessThanOrEqual(2);
    seen.push(...response.body.api_keys.map((key: { key_id: string }) => key.key_id));
    cursor = response.body.next_cursor ?? '';
    h.clock.advance(1);
    await h.mintKey(partner, 'meanwhile');
  } while (cursor !== '');
  expect(seen).toEqual(all);
});

test('a page that ends exactly at the last key reports it', async () => {
  const partner = await h.givenPartner();
  await h.mintKey(partner);
  expect((await partner.client.get(`${path}?limit=2`)).body.next_cursor).toBeNull();
  expect((await partner.client.get(`${path}?limit=1`)).body.next_cursor).toEqual(expect.any(String));
});

test.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=1e1', 'limit'],
  ['limit=', 'limit'],
  ['limit=x', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['limit=01', 'limit'],
  ['cursor=', 'cursor'],
  ['cursor=nonsense', 'cursor'],
  ['cursor=%00', 'cursor'],
  [`cursor=${Buffer.from('1700000000000.x').toString('base64url')}`, 'cursor'],
  [
    `cursor=${Buffer.from('99999999999999999.01890000-0000-7000-8000-000000000000').toString('base64url')}`,
    'cursor',
  ],
  ['cursor=a&cursor=b', 'cursor'],
])('%s is 400', async (query, field) => {
  expect(await h.partner.get(`${path}?${query}`)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field },
  });
});

test('limits of 1 and 100 pass, and unknown parameters are refused', async () => {
  for (const query of ['limit=1', 'limit=100']) {
    expect((await h.partner.get(`${path}?${query}`)).status).toBe(200);
  }
  expect((await h.partner.get(`${path}?colour=red`)).body).toMatchObject({ field: 'colour' });
});

test('a revoked key is refused at its very next use, in every process', async () => {
  const partner = await h.givenPartner();
  const { response: minted } = await h.mintKey(partner);
  const other = await buildApp(h.ctx);
  const clients = [h.app, other].map((app) => clientOf(app, { 'x-api-key': minted.body.api_key }));
  for (const client of clients) expect((await client.get(path)).status).toBe(200);
  const revoked = await partner.client.post(`${path}/${minted.body.key_id}/revoke`);
  expect(revoked).toMatchObject({
    status: 200,
    body: {
      key_id: minted.body.key_id,
      status: 'revoked',
      revoked_at: new Date(h.clock.now()).toISOString(),
    },
  });
  for (const client of clients) {
    expect(await client.get(path)).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  }
  await other.close();
  expect(await partner.client.post(`${path}/${minted.body.key_id}/revoke`)).toMatchObject({
    status: 400,
    body: { error: 'already_revoked' },
  });
});

test('a key may revoke itself', async () => {
  const partner = await h.givenPartner();
  expect((await partner.client.post(`${path}/${partner.keyId}/revoke`)).status).toBe(200);
  expect((await partner.client.get(path)).status).toBe(401);
});

test("another partner's key, an unknown one and nonsense are all not found", async () => {
  const other = await h.givenPartner();
  for (const id of [
    other.keyId,
    '01890000-0000-7000-8000-000000000000',
    'nonsense',
    '%00',
    'x'.repeat(2_000),
  ]) {
    expect(await h.partner.post(`${path}/${id}/revoke`)).toMatchObject({
      status: 404,
      body: { error: 'key_not_found' },
    });
  }
  expect((await other.client.get(path)).status).toBe(200);
});

test('exactly one of 20 concurrent revocations happens', async () => {
  const partner = await h.givenPartner();
  const { response: minted } = await h.mintKey(partner);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => partner.client.post(`${path}/${minted.body.key_id}/revoke`)),
  );
  expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
  expect(responses.filter((response) => response.body.error === 'already_revoked')).toHaveLength(19);
});

test('a partner with 200 active keys mints another one', async () => {
  const partner = await h.givenPartner();
  const keys = Array.from({ length: 200 }, () => ({
    id: newUuid(),
    partnerId: partner.partnerId,
    walletAddress: partner.wallet.address,
    name: 'k',
    hash: randomBytes(32),
    createdAt: new Date(h.clock.now()),
  }));
  await h.ctx.db.transaction((tx) => tx.insert(apiKeys).values(keys));
  const { response } = await h.mintKey(partner, 'another');
  expect(response).toMatchObject({ status: 201, body: { key_name: 'another' } });
});
