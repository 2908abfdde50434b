import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimIdempotencyKey } from '../../src/actions/claim-idempotency-key.js';
import { sweepExpired } from '../../src/actions/sweep-expired.js';
import { type Harness, harness, newWallet } from '../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

const hourMs = 3_600_000;

function newUser() {
  return {
    user_id: `user-${randomBytes(5).toString('hex')}`,
    wallet_address: newWallet().address as string,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
      kyc_data: { b: 1, a: [{ d: 1, c: 2 }] },
    },
  };
}

const newKey = () => randomBytes(12).toString('hex');
const create = (body: unknown, key: string, client = h.partner) =>
  client.post('/v1/users', body, { 'idempotency-key': key });

test('the same request again gets the first answer, and says so', async () => {
  const [body, key] = [newUser(), newKey()];
  const first = await create(body, key);
  expect(first.status).toBe(201);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  h.clock.advance(1_000);
  const again = await create(body, key);
  expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
  expect(again.body).toEqual(first.body);
  expect(again.headers['content-type']).toBe(first.headers['content-type']);
  expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
});

test('the order of members makes no other request', async () => {
  const [body, key] = [newUser(), newKey()];
  const first = await create(body, key);
  const { user_id, wallet_address, kyc } = body;
  const { kyc_data, ...rest } = kyc;
  const turned = { kyc: { kyc_data: { a: [{ c: 2, d: 1 }], b: 1 }, ...rest }, wallet_address, user_id };
  expect((await create(turned, key)).body).toEqual(first.body);
  expect(kyc_data).toBeDefined();
});

test('another body with the same key is 409', async () => {
  const [body, key] = [newUser(), newKey()];
  await create(body, key);
  for (const other of [
    newUser(),
    { ...body, extra: 1 },
    { ...body, kyc: { ...body.kyc, kyc_data: { a: [] } } },
  ]) {
    expect(await create(other, key)).toMatchObject({ status: 409, body: { error: 'idempotency_conflict' } });
  }
});

test('twins that race: one is answered, the others are told so or get its answer', async () => {
  const [body, key] = [newUser(), newKey()];
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(body, key)));
  const fresh = answers.filter((a) => a.status === 201 && a.headers['idempotency-replayed'] === undefined);
  expect(fresh).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 201) expect(answer.body).toEqual(fresh[0]?.body);
    else expect(answer).toMatchObject({ status: 409, body: { error: 'idempotency_conflict' } });
  }
  expect((await create(body, key)).body).toEqual(fresh[0]?.body);
});

test('what is malformed, and what failed, uses no key up', async () => {
  const [body, key] = [newUser(), newKey()];
  expect((await create({ ...body, user_id: '' }, key)).status).toBe(400);
  expect((await create({ ...body, wallet_address: 'x' }, key)).body.error).toBe('invalid_wallet');
  expect((await create(body, key)).status).toBe(201);
});

test('keys are apart by partner and by route', async () => {
  const key = newKey();
  const other = await h.givenPartner();
  const [mine, theirs] = [await create(newUser(), key), await create(newUser(), key, other.client)];
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  const path = `/v1/partner/api-keys/${other.keyId}/revoke`;
  const spare = await h.mintKey(other);
  const revoked = await other.client.post(
    `/v1/partner/api-keys/${spare.answer.body.key_id}/revoke`,
    undefined,
    {
      'idempotency-key': key,
    },
  );
  expect(revoked.status).toBe(200);
  // The path belongs to the request: the same key on another thing is another request.
  expect(await other.client.post(path, undefined, { 'idempotency-key': key })).toMatchObject({
    status: 409,
    body: { error: 'idempotency_conflict' },
  });
});

test('a repeated revocation is answered as the first one was', async () => {
  const partner = await h.givenPartner();
  const { answer: minted } = await h.mintKey(partner);
  const path = `/v1/partner/api-keys/${minted.body.key_id}/revoke`;
  const key = { 'idempotency-key': newKey() };
  const first = await partner.client.post(path, undefined, key);
  expect(await partner.client.post(path, undefined, key)).toMatchObject({ status: 200, body: first.body });
  expect((await partner.client.post(path)).body.error).toBe('already_revoked');
});

test('answers are kept for 24 hours', async () => {
  const [body, key] = [newUser(), newKey()];
  const first = await create(body, key);
  h.clock.advance(24 * hourMs - 1);
  await sweepExpired(h.ctx);
  expect((await create(body, key)).body).toEqual(first.body);
  h.clock.advance(1);
  expect(await create(body, key)).toMatchObject({ status: 409, body: { error: 'user_already_exists' } });
  h.clock.advance(1);
  await sweepExpired(h.ctx);
  const rows = await h.ctx.db.execute(sql`select 1 from idempotency_keys where key = ${key}`);
  expect(rows).toHaveLength(0);
});

test('the claim of a process that died lapses after 30 s', async () => {
  const [body, key] = [newUser(), newKey()];
  await claimIdempotencyKey(h.ctx, { ownerId: h.main.partnerId, route: 'POST /v1/users', key }, [{}, body]);
  expect(await create(body, key)).toMatchObject({ status: 409, body: { error: 'idempotency_conflict' } });
  h.clock.advance(30_000);
  expect((await create(body, key)).status).toBe(201);
});

test('a key of more than 255 characters is 400, an empty one is none', async () => {
  expect((await create(newUser(), 'k'.repeat(255))).status).toBe(201);
  expect(await create(newUser(), 'k'.repeat(256))).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field: 'Idempotency-Key' },
  });
  expect((await create(newUser(), '')).status).toBe(201);
  expect((await create(newUser(), '')).status).toBe(201);
});

test('elsewhere the header is ignored: no raw key is ever stored', async () => {
  const partner = await h.givenPartner();
  const headers = { 'idempotency-key': newKey() };
  const challenge = { wallet_address: partner.wallet.address, partner_id: partner.partnerId };
  const [a, b] = [
    await h.anonymous.post('/v1/auth/challenge', challenge, headers),
    await h.anonymous.post('/v1/auth/challenge', challenge, headers),
  ];
  expect(a.body.challenge_id).not.toBe(b.body.challenge_id);
  const mint = {
    challenge_id: a.body.challenge_id,
    signature: partner.wallet.sign(a.body.message),
    key_name: 'k',
  };
  const minted = await h.anonymous.post('/v1/auth/api-key', mint, headers);
  h.secrets.add(minted.body.api_key);
  expect(minted.status).toBe(201);
  expect((await h.anonymous.post('/v1/auth/api-key', mint, headers)).body.error).toBe('invalid_challenge');
  const stored = JSON.stringify(await h.ctx.db.execute(sql`select * from idempotency_keys`));
  expect(stored).not.toContain(minted.body.api_key);
});
