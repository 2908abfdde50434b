import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKeys } from '../../../src/db/schema.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { expectStatus, type GivenPartner, type Harness, harness, newWallet } from '../../harness.js';
import { givenKey } from '../../karat.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
let globex: GivenPartner;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  globex = await h.givenPartner({ name: 'Globex' });
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const list = (path: string) => operators.by.viewer.client.get(`${operatorBase}${path}`);
const revoke = (id: string, body?: unknown, headers?: Record<string, string>) =>
  send(operators.by.compliance.client, 'POST', `/api-keys/${id}/revoke`, body, headers);
const idsOf = (body: { api_keys: { key_id: string }[] }) => body.api_keys.map(({ key_id }) => key_id);

test('keys of both APIs are listed by partner, and those of the admin with all others', async () => {
  h.clock.advance(1_000);
  const tradebook = await givenKey(h, {
    partnerId: globex.partnerId,
    wallet: newWallet(),
    scope: 'PARTNER_EXECUTIVE_AUTHORITY PARTNER_UPDATE_AUTHORITY',
  });
  h.clock.advance(1_000);
  const admin = await givenKey(h, { partnerId: null, wallet: newWallet(), scope: 'ADMIN' });

  const path = `/partners/${globex.partnerId}/api-keys`;
  const mine = expectStatus(await list(path), 200);
  expect(mine.body).toEqual({
    api_keys: [
      {
        key_id: tradebook.keyId,
        key_name: 'ordering',
        surface: 'tradebook',
        scope: 'PARTNER_EXECUTIVE_AUTHORITY PARTNER_UPDATE_AUTHORITY',
        status: 'active',
        partner_id: globex.partnerId,
        wallet_address: tradebook.wallet.address,
        last_used_at: null,
        created_at: expect.any(String),
        expires_at: null,
        revoked_at: null,
      },
      expect.objectContaining({
        key_id: globex.keyId,
        surface: 'partner',
        scope: 'PARTNER',
        wallet_address: globex.wallet.address,
      }),
    ],
    next_cursor: null,
  });
  expect(mine.text).not.toMatch(/hash|service_(partner|tradebook)_/);
  expect(idsOf((await list(`${path}?surface=partner`)).body)).toEqual([globex.keyId]);
  expect(idsOf((await list(`${path}?surface=tradebook`)).body)).toEqual([tradebook.keyId]);
  const first = await list(`${path}?limit=1`);
  expect(idsOf((await list(`${path}?limit=1&cursor=${first.body.next_cursor}`)).body)).toEqual([
    globex.keyId,
  ]);

  const all = idsOf((await list('/api-keys')).body);
  expect(all.slice(0, 2)).toEqual([admin.keyId, tradebook.keyId]);
  expect(all).toEqual(expect.arrayContaining([globex.keyId, h.main.keyId]));
  expect(idsOf((await list('/api-keys?surface=tradebook')).body)).toEqual([admin.keyId, tradebook.keyId]);
});

test('a key that ended by itself is expired, and can still be revoked', async () => {
  const id = newUuid();
  const at = new Date(h.clock.now());
  await h.ctx.db.transaction((tx) =>
    tx.insert(apiKeys).values({
      id,
      surface: 'tradebook',
      partnerId: globex.partnerId,
      walletAddress: newWallet().address,
      name: 'short-lived',
      hash: randomBytes(32),
      scope: 'PARTNER_UPDATE_AUTHORITY',
      createdAt: at,
      expiresAt: new Date(at.getTime() + 1_000),
    }),
  );
  const status = async () =>
    (await list(`/partners/${globex.partnerId}/api-keys`)).body.api_keys.find(
      (key: { key_id: string }) => key.key_id === id,
    ).status;
  expect(await status()).toBe('active');
  h.clock.advance(1_000);
  expect(await status()).toBe('expired');
  expect((await revoke(id)).body.status).toBe('revoked');
});

test('a key of the partner API is revoked at once and once', async () => {
  const partner = await h.givenPartner();
  expect((await partner.client.get('/v1/users')).status).toBe(200);
  const revoked = await revoke(partner.keyId, { reason: 'Found in a public repository' });
  expect(revoked).toMatchObject({
    status: 200,
    body: { key_id: partner.keyId, surface: 'partner', status: 'revoked', partner_id: partner.partnerId },
  });
  expect(revoked.body.revoked_at).toBe(new Date(h.clock.now()).toISOString());
  expect(await partner.client.get('/v1/users')).toMatchObject({
    status: 401,
    body: { error: 'unauthorized' },
  });
  expect(await revoke(partner.keyId)).toMatchObject({ status: 400, body: { error: 'already_revoked' } });
  const facts = { partner_id: partner.partnerId, surface: 'partner', name: 'harness' };
  expect(await changesOf(h, 'api_key', partner.keyId)).toEqual([
    {
      action: 'api_key.revoke',
      before: { ...facts, status: 'active' },
      after: { ...facts, status: 'revoked' },
      reason: 'Found in a public repository',
      operatorId: operators.by.compliance.operatorId,
    },
  ]);
});

test('keys of the tradebook API are revoked too, of a partner and of the admin', async () => {
  for (const [partnerId, scope] of [
    [globex.partnerId, 'PARTNER_UPDATE_AUTHORITY'],
    [null, 'ADMIN'],
  ] as const) {
    const key = await givenKey(h, { partnerId, wallet: newWallet(), scope });
    expect(await revoke(key.keyId)).toMatchObject({
      status: 200,
      body: { status: 'revoked', partner_id: partnerId },
    });
    expect((await key.get('/api/auth/api-keys')).status).toBe(401);
  }
});

test('exactly one of many concurrent revocations of a key happens', async () => {
  const { keyId } = await h.givenPartner();
  const responses = await Promise.all(Array.from({ length: 10 }, () => revoke(keyId)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
  expect(await changesOf(h, 'api_key', keyId)).toHaveLength(1);
});

test('a repeated revocation with an Idempotency-Key has the first response', async () => {
  const { keyId } = await h.givenPartner();
  const first = await revoke(keyId, { reason: 'x' }, { 'idempotency-key': 'once' });
  const again = await revoke(keyId, { reason: 'x' }, { 'idempotency-key': 'once' });
  expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
  expect(again.body).toEqual(first.body);
});

test.each([newUuid(), 'x', '%00', newId('gu'), 'x'.repeat(5_000)])('key %s is not found', async (id) => {
  expect(await revoke(id)).toMatchObject({ status: 404, body: { error: 'key_not_found' } });
  expect(await list(`/partners/${id}/api-keys`)).toMatchObject({
    status: 404,
    body: { error: 'partner_not_found' },
  });
});
