import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepExpired } from '../../../src/actions/sweep-expired.js';
import { apiKeys, partners } from '../../../src/db/schema.js';
import { type ChallengeId, uuidOf } from '../../../src/domain/ids.js';
import { type Client, clientOf, newAddress, newWallet, type Wallet } from '../../harness.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { envelopeOf } from '../../off-chain-envelope.js';
import { changesOf } from '../../operators.js';
import { mintKeyOf, mintRoleKey, updateExecutives } from '../../tradebook.js';

let t: Karat;
let treasury: Treasury;
let other: Treasury;
beforeAll(async () => {
  // Fifty requests at once may keep a busy machine longer than a caller would wait.
  t = await startKarat({ respondWithinMs: 60_000 });
  treasury = await t.given.treasury();
  other = await t.given.treasury(await t.service.givenPartner());
});
afterAll(() => t.stop());

const fresh = (): Client => clientOf(t.service.app, {}, { remoteAddress: newAddress() });
const ask = (walletAddress: string, more: object) =>
  fresh().post('/api/auth/challenge', { walletAddress, ...more });
const partnerKey = () => ({ keyType: 'PARTNER' as const, partnerId: treasury.partnerId });

async function challengeFor(wallet: Wallet) {
  const { body } = await ask(wallet.address, partnerKey());
  return body.data as { challengeId: string; message: string; expiresAt: string };
}

const respondWith = (challengeId: string, signature: string, more: object = {}) =>
  fresh().post('/api/auth/api-key', { challengeId, signature, keyName: 'k', ...more });

/** Until the service has seen a change on chain: after a slot, and the busier the machine the later. */
const patience = { timeout: 10_000 };

const failure = (code: string, field?: string) => ({
  success: false,
  error: {
    code,
    message: expect.stringMatching(/\S/),
    docUrl: expect.stringContaining('/'),
    ...(field === undefined ? {} : { field }),
  },
});

describe('POST /api/auth/challenge', () => {
  test('POST /api/auth/challenge gives a message of its own to sign that lives for two minutes', async () => {
    const before = t.chain.clock.now();
    const response = await ask(treasury.update.wallet.address, partnerKey());
    expect(response.status).toBe(200);
    expect(Object.keys(response.body)).toEqual(['success', 'data']);
    const { challengeId, message, expiresAt } = response.body.data;
    expect(Object.keys(response.body.data).sort()).toEqual(['challengeId', 'expiresAt', 'message']);
    expect(challengeId).toMatch(/^ch_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/);
    expect(message).toBe(`Sign this message to generate a tradebook API key for Karat: ${challengeId}`);
    const lifeMs = Date.parse(expiresAt) - before;
    expect(lifeMs).toBeGreaterThanOrEqual(120_000);
    expect(lifeMs).toBeLessThan(125_000);
  });

  test.each<[string, () => [string, object]]>([
    ['a wallet of nobody', () => [newWallet().address, partnerKey()]],
    ['the wallet of trades, which has no role', () => [treasury.partner.wallet.address, partnerKey()]],
    ["another partner's executive", () => [other.executive.wallet.address, partnerKey()]],
    [
      'an executive who asks for a key of the admin',
      () => [treasury.executive.wallet.address, { keyType: 'ADMIN' }],
    ],
    ['the admin who asks for a key of a partner', () => [t.chain.admin.address, partnerKey()]],
    [
      'a partner that does not exist',
      () => [
        treasury.executive.wallet.address,
        { keyType: 'PARTNER', partnerId: '01890000-0000-7000-8000-000000000000' },
      ],
    ],
    [
      'a partner id that is no UUID',
      () => [treasury.executive.wallet.address, { keyType: 'PARTNER', partnerId: 'acme\u0000' }],
    ],
  ])('POST /api/auth/challenge responds 404 for %s', async (_name, given) => {
    const [wallet, more] = given();
    expect(await ask(wallet, more)).toMatchObject({ status: 404, body: failure('wallet_not_found') });
  });

  test('POST /api/auth/challenge needs a partner for a key of a partner, and none for the admin', async () => {
    const wallet = treasury.executive.wallet.address;
    const missing = await ask(wallet, { keyType: 'PARTNER' });
    expect(missing).toMatchObject({ status: 400, body: failure('invalid_request', 'partnerId') });
    expect((await ask(t.chain.admin.address, { keyType: 'ADMIN', partnerId: 'x' })).status).toBe(200);
    const upper = { keyType: 'PARTNER', partnerId: treasury.partnerId.toUpperCase() };
    expect((await ask(wallet, upper)).status).toBe(200);
  });
});

describe('POST /api/auth/api-key', () => {
  test('mints a key with the role of the wallet, and keeps only its hash', async () => {
    const response = await mintKeyOf(t.service, treasury.withdrawal.wallet, partnerKey(), {
      keyName: 'Treasury ✨',
    });
    expect(response.status).toBe(201);
    const { data } = response.body;
    expect(response.body).toEqual({
      success: true,
      data: {
        apiKey: expect.stringMatching(/^service_tradebook_[0-9a-f]{64}$/),
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        scope: ['PARTNER_WITHDRAWAL_AUTHORITY'],
        name: 'Treasury ✨',
        walletAddress: treasury.withdrawal.wallet.address,
        createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/),
        expiresAt: null,
      },
    });
    const [stored] = await t.service.ctx.db.select().from(apiKeys).where(eq(apiKeys.id, data.id));
    const sha256 = createHash('sha256').update(data.apiKey).digest();
    expect(Buffer.from(stored?.hash ?? []).equals(sha256)).toBe(true);
    const text = JSON.stringify(await t.service.ctx.db.execute(sql`select * from api_keys`));
    expect(text).not.toContain(data.apiKey.slice('service_tradebook_'.length));
    expect(await changesOf(t.service, 'api_key', data.id)).toEqual([
      {
        action: 'api_key.create',
        before: null,
        after: {
          surface: 'tradebook',
          partner_id: treasury.partnerId,
          wallet_address: data.walletAddress,
          key_name: 'Treasury ✨',
          scope: 'PARTNER_WITHDRAWAL_AUTHORITY',
          expires_at: null,
          address: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
        },
        reason: null,
        operatorId: null,
      },
    ]);
  });

  test('a wallet with several roles gets all of them, the admin ADMIN', async () => {
    const all = await t.service.givenPartner();
    await t.chain.addPartner({ partnerId: all.partnerId, wallet: all.wallet.address });
    const desired = { keyType: 'PARTNER' as const, partnerId: all.partnerId };
    await expect.poll(async () => (await ask(all.wallet.address, desired)).status, patience).toBe(200);
    expect((await mintKeyOf(t.service, all.wallet, desired)).body.data.scope).toEqual([
      'PARTNER_EXECUTIVE_AUTHORITY',
      'PARTNER_UPDATE_AUTHORITY',
      'PARTNER_WITHDRAWAL_AUTHORITY',
    ]);
    const admin = await mintKeyOf(t.service, t.chain.admin, { keyType: 'ADMIN' });
    expect(admin).toMatchObject({ status: 201, body: { data: { scope: ['ADMIN'] } } });
  });

  test('POST /api/auth/api-key takes a signature in base58 as well as in base64', async () => {
    const { wallet: executive } = treasury.executive;
    const { challengeId, message } = await challengeFor(executive);
    const base58 = getBase58Decoder().decode(executive.signBytes(Buffer.from(message)));
    const response = await respondWith(challengeId, base58);
    expect(response.status).toBe(201);
    t.service.secrets.add(response.body.data.apiKey);
  });

  test('the signature of a Ledger, in the off-chain envelope, mints a key of the tradebook', async () => {
    const { wallet: executive } = treasury.executive;
    for (const form of ['full', 'short'] as const) {
      const { challengeId, message } = await challengeFor(executive);
      const sign = (text: string) =>
        getBase58Decoder().decode(executive.signBytes(envelopeOf(form, executive, text)));
      expect(await respondWith(challengeId, sign(`${message} `))).toMatchObject({
        ...{ status: 400, body: failure('invalid_signature', 'signature') },
      });
      const response = await respondWith(challengeId, sign(message));
      expect(response.status).toBe(201);
      t.service.secrets.add(response.body.data.apiKey);
    }
  });

  test('exactly one of 50 requests that race for a challenge yields a key', async () => {
    const { wallet: executive } = treasury.executive;
    const { challengeId, message } = await challengeFor(executive);
    const signature = executive.sign(message);
    const count = async () => (await t.service.ctx.db.select().from(apiKeys)).length;
    const before = await count();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => respondWith(challengeId, signature)),
    );
    const losers = responses.filter(({ status }) => status !== 201);
    expect(losers).toHaveLength(49);
    for (const { body } of losers) expect(body).toEqual(failure('invalid_challenge'));
    expect(await count()).toBe(before + 1);
    for (const { body } of responses) if (body.success) t.service.secrets.add(body.data.apiKey);
  });

  test('a failed signature does not use the challenge up, a success does', async () => {
    const { wallet: executive } = treasury.executive;
    const { challengeId, message } = await challengeFor(executive);
    for (const signature of [newWallet().sign(message), executive.sign(`${message} `), 'AAAA']) {
      const wrong = await respondWith(challengeId, signature);
      expect(wrong).toMatchObject({ status: 400, body: failure('invalid_signature', 'signature') });
    }
    const good = await respondWith(challengeId, executive.sign(message));
    expect(good.status).toBe(201);
    t.service.secrets.add(good.body.data.apiKey);
    const again = await respondWith(challengeId, executive.sign(message));
    expect(again).toMatchObject({ status: 400, body: failure('invalid_challenge') });
  });

  test('a signature that is neither base64 nor base58 is malformed', async () => {
    const { challengeId } = await challengeFor(treasury.executive.wallet);
    for (const signature of ['-_A=', 'AAA', ' AAAA', 'O0Il'.repeat(20).slice(0, 79)]) {
      const response = await respondWith(challengeId, signature);
      expect(response).toMatchObject({ status: 400, body: failure('invalid_request', 'signature') });
    }
  });

  test('a challenge lives for two minutes', async () => {
    const { wallet: executive } = treasury.executive;
    const { challengeId, message } = await challengeFor(executive);
    await t.service.ctx.db.execute(sql`update challenges set created_at = created_at - interval '121 s',
      expires_at = expires_at - interval '121 s' where id = ${uuidOf(challengeId as ChallengeId)}`);
    const late = await respondWith(challengeId, executive.sign(message));
    expect(late).toMatchObject({ status: 400, body: failure('challenge_expired') });
  });

  test('a challenge is reported as expired for 30 days', async () => {
    const { wallet: executive } = treasury.executive;
    const { challengeId, message } = await challengeFor(executive);
    const aged = (by: string) =>
      t.service.ctx.db.execute(sql`update challenges set created_at = created_at - ${by}::interval,
        expires_at = expires_at - ${by}::interval where id = ${uuidOf(challengeId as ChallengeId)}`);
    await aged('30 days 1 minute');
    await sweepExpired(t.service.ctx, AbortSignal.any([]));
    expect(await respondWith(challengeId, executive.sign(message))).toMatchObject({
      status: 400,
      body: failure('challenge_expired'),
    });
    await aged('2 minutes');
    await sweepExpired(t.service.ctx, AbortSignal.any([]));
    expect(await respondWith(challengeId, executive.sign(message))).toMatchObject({
      status: 400,
      body: failure('invalid_challenge'),
    });
  });

  test('a suspended partner mints no key, and the challenge stays good', async () => {
    const suspended = await t.given.treasury(await t.service.givenPartner());
    const setStatus = (status: 'active' | 'suspended') =>
      t.service.ctx.db.update(partners).set({ status }).where(eq(partners.id, suspended.partnerId));
    const { wallet: executive } = suspended.executive;
    const challenge = await ask(executive.address, { keyType: 'PARTNER', partnerId: suspended.partnerId });
    const { challengeId, message } = challenge.body.data;
    await setStatus('suspended');
    const refused = await respondWith(challengeId, executive.sign(message));
    expect(refused).toMatchObject({ status: 403, body: failure('partner_suspended') });
    await setStatus('active');
    const minted = await respondWith(challengeId, executive.sign(message));
    expect(minted.status).toBe(201);
    t.service.secrets.add(minted.body.data.apiKey);
  });

  test('a wallet that lost its role since the challenge mints no key', async () => {
    const second = newWallet();
    await updateExecutives(t.chain, other, { add: [second.address] });
    const desired = { keyType: 'PARTNER' as const, partnerId: other.partnerId };
    await expect.poll(async () => (await ask(second.address, desired)).status, patience).toBe(200);
    const { challengeId, message } = (await ask(second.address, desired)).body.data;
    await updateExecutives(t.chain, other, { remove: [second.address] });
    await expect.poll(async () => (await ask(second.address, desired)).status, patience).toBe(404);
    const late = await respondWith(challengeId, second.sign(message));
    expect(late).toMatchObject({ status: 404, body: failure('wallet_not_found') });
  });

  test.each([
    ['without a number of days never', undefined, null],
    ['after the days that were asked for', 90, 90],
    ['after one day at least', 1, 1],
    ['after 365 days at most', 365, 365],
  ])('a key ends %s', async (_name, expirationDays, days) => {
    const wallet = treasury.executive.wallet;
    const more = expirationDays === undefined ? {} : { expirationDays };
    const { createdAt, expiresAt } = (await mintKeyOf(t.service, wallet, partnerKey(), more)).body.data;
    const lifeMs = expiresAt === null ? null : Date.parse(expiresAt) - Date.parse(createdAt);
    expect(lifeMs).toBe(days === null ? null : days * 86_400_000);
  });
});

describe('a signature for one surface is void on the other', () => {
  test('challenges of either surface are unknown to the other, and their messages differ', async () => {
    // A wallet that may mint keys of both: the partner's own, which is an executive too.
    const both = await t.service.givenPartner();
    await t.chain.addPartner({ partnerId: both.partnerId, wallet: both.wallet.address });
    const desired = { keyType: 'PARTNER' as const, partnerId: both.partnerId };
    await expect.poll(async () => (await ask(both.wallet.address, desired)).status, patience).toBe(200);
    const here = (await ask(both.wallet.address, desired)).body.data;
    const there = (
      await fresh().post('/v1/auth/challenge', {
        wallet_address: both.wallet.address,
        partner_id: both.partnerId,
      })
    ).body;
    for (const text of [here.message, there.message]) {
      const onB = await respondWith(there.challenge_id, both.wallet.sign(text));
      expect(onB).toMatchObject({ status: 400, body: failure('invalid_challenge') });
      const onA = await fresh().post('/v1/auth/api-key', {
        challenge_id: here.challengeId,
        signature: both.wallet.sign(text),
        key_name: 'k',
      });
      expect(onA).toMatchObject({ status: 400, body: { error: 'invalid_challenge' } });
    }
    // Nor does a good signature of the other surface's message, made for this very challenge.
    const other = here.message.replace('a tradebook API key', 'an API key');
    const wrong = await respondWith(here.challengeId, both.wallet.sign(other));
    expect(wrong).toMatchObject({ status: 400, body: failure('invalid_signature', 'signature') });
  });
});

describe('GET /api/auth/api-keys', () => {
  const idsOf = (response: { body: { data: { apiKeys: { id: string }[] } } }) =>
    response.body.data.apiKeys.map(({ id }) => id);

  test("lists the partner's keys of this surface, newest first, without their values", async () => {
    const shortLived = await mintKeyOf(t.service, treasury.executive.wallet, partnerKey(), {
      expirationDays: 1,
    });
    await treasury.executive.get('/api/distribution/partner/me');
    const response = await treasury.update.get('/api/auth/api-keys');
    expect(response.status).toBe(200);
    const { apiKeys: list, nextCursor } = response.body.data;
    expect(nextCursor).toBeNull();
    expect(list[0]).toEqual({
      id: shortLived.body.data.id,
      name: 'minted',
      scope: ['PARTNER_EXECUTIVE_AUTHORITY'],
      walletAddress: treasury.executive.wallet.address,
      partnerId: treasury.partnerId,
      status: 'active',
      createdAt: shortLived.body.data.createdAt,
      expiresAt: shortLived.body.data.expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    const used = list.find(({ id }: { id: string }) => id === treasury.executive.keyId);
    expect(used.lastUsedAt).toEqual(expect.any(String));
    expect(idsOf(response)).toContain(treasury.withdrawal.keyId);
    expect(idsOf(response)).not.toContain(other.update.keyId);
    // The partner API's keys are its own.
    expect(idsOf(response)).not.toContain(treasury.partner.keyId);
    const onA = await treasury.partner.client.get('/v1/partner/api-keys');
    expect(onA.body.api_keys.map((key: { key_id: string }) => key.key_id)).toEqual([treasury.partner.keyId]);
    expect(response.text).not.toContain('service_');
  });

  test('pages through the keys with a cursor', async () => {
    const client = treasury.update;
    const all = idsOf(await client.get('/api/auth/api-keys'));
    const first = await client.get('/api/auth/api-keys?limit=2');
    expect(idsOf(first)).toEqual(all.slice(0, 2));
    const second = await client.get(`/api/auth/api-keys?limit=2&cursor=${first.body.data.nextCursor}`);
    expect(idsOf(second)).toEqual(all.slice(2, 4));
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['cursor=x', 'cursor'],
    ]) {
      const response = await client.get(`/api/auth/api-keys?${query}`);
      expect(response).toMatchObject({ status: 400, body: failure('invalid_request', field) });
    }
  });

  test('a key past its end is shown as expired, and may still be revoked', async () => {
    const { data } = (
      await mintKeyOf(t.service, treasury.executive.wallet, partnerKey(), { expirationDays: 1 })
    ).body;
    await t.service.ctx.db.execute(sql`update api_keys set expires_at = created_at where id = ${data.id}`);
    const client = treasury.update;
    const [shown] = (await client.get('/api/auth/api-keys')).body.data.apiKeys;
    expect(shown).toMatchObject({ id: data.id, status: 'expired', revokedAt: null });
    const gone = await clientOf(t.service.app, { 'x-api-key': data.apiKey }).get(
      '/api/distribution/partner/me',
    );
    expect(gone).toMatchObject({ status: 401, body: failure('unauthorized') });
    expect((await client.post(`/api/auth/api-keys/${data.id}/revoke`)).status).toBe(200);
    const [revoked] = (await client.get('/api/auth/api-keys')).body.data.apiKeys;
    expect(revoked).toMatchObject({ id: data.id, status: 'revoked' });
  });

  test('the admin sees its own keys, and with partnerId those of a partner; a partner only its own', async () => {
    const admin = await t.given.admin();
    const own = idsOf(await admin.get('/api/auth/api-keys'));
    expect(own[0]).toBe(admin.keyId);
    expect(own).not.toContain(treasury.update.keyId);
    const of = async (client: Client, partnerId: string) =>
      idsOf(await client.get(`/api/auth/api-keys?partnerId=${encodeURIComponent(partnerId)}`));
    expect(await of(admin, other.partnerId)).toContain(other.update.keyId);
    expect(await of(other.update, other.partnerId)).toContain(other.executive.keyId);
    expect(await of(other.update, treasury.partnerId)).toEqual([]);
    for (const noOperator of ['01890000-0000-7000-8000-000000000000', 'nonsense', '']) {
      expect(await of(admin, noOperator)).toEqual([]);
    }
  });

  test.each(['executive', 'withdrawal'] as const)('needs more than a key of the %s', async (role) => {
    for (const response of [
      await treasury[role].get('/api/auth/api-keys'),
      await treasury[role].post(`/api/auth/api-keys/${treasury[role].keyId}/revoke`),
    ]) {
      expect(response).toMatchObject({ status: 403, body: failure('insufficient_scope') });
      expect(response.body.error.message).toContain('PARTNER_UPDATE_AUTHORITY or ADMIN');
    }
  });
});

describe('POST /api/auth/api-keys/{keyId}/revoke', () => {
  const mint = (of: Treasury = treasury) =>
    mintRoleKey(t.service, of.executive.wallet, { keyType: 'PARTNER', partnerId: of.partnerId });

  test('revokes at once and for good', async () => {
    const key = await mint();
    expect((await key.get('/api/distribution/partner/me')).status).toBe(200);
    const response = await treasury.update.post(`/api/auth/api-keys/${key.keyId}/revoke`);
    expect(response).toMatchObject({
      status: 200,
      body: { success: true, data: { keyId: key.keyId, keyName: 'minted', revokedAt: expect.any(String) } },
    });
    const used = await key.get('/api/distribution/partner/me');
    expect(used).toMatchObject({ status: 401, body: failure('unauthorized') });
    const again = await treasury.update.post(`/api/auth/api-keys/${key.keyId}/revoke`);
    expect(again).toMatchObject({ status: 400, body: failure('already_revoked') });
  });

  test('a key may revoke itself', async () => {
    const key = await mintRoleKey(t.service, treasury.update.wallet, partnerKey());
    expect((await key.post(`/api/auth/api-keys/${key.keyId}/revoke`)).status).toBe(200);
    expect((await key.get('/api/auth/api-keys')).status).toBe(401);
  });

  test("knows nothing of other partners' keys and of the partner API's, and the admin all of this surface", async () => {
    const foreign = await mint(other);
    for (const id of [foreign.keyId, treasury.partner.keyId, 'nonsense']) {
      const response = await treasury.update.post(`/api/auth/api-keys/${id}/revoke`);
      expect(response).toMatchObject({ status: 404, body: failure('key_not_found') });
    }
    const onA = await treasury.partner.client.post(`/v1/partner/api-keys/${treasury.update.keyId}/revoke`);
    expect(onA).toMatchObject({ status: 404, body: { error: 'key_not_found' } });
    const admin = await t.given.admin();
    expect((await admin.post(`/api/auth/api-keys/${foreign.keyId}/revoke`)).status).toBe(200);
    const ofA = await admin.post(`/api/auth/api-keys/${treasury.partner.keyId}/revoke`);
    expect(ofA).toMatchObject({ status: 404, body: failure('key_not_found') });
  });

  test('an Idempotency-Key replays the first response, to the partner or to that key of the admin alone', async () => {
    const once = { 'idempotency-key': 'revoke-once' };
    const client = treasury.update;
    const path = `/api/auth/api-keys/${(await mint()).keyId}/revoke`;
    const first = await client.post(path, undefined, once);
    const again = await client.post(path, undefined, once);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const [admin, otherAdmin] = [await t.given.admin(), await t.given.admin()];
    const target = `/api/auth/api-keys/${(await mint(other)).keyId}/revoke`;
    expect((await admin.post(target, undefined, once)).status).toBe(200);
    expect((await admin.post(target, undefined, once)).headers['idempotency-replayed']).toBe('true');
    const apart = await otherAdmin.post(target, undefined, once);
    expect(apart).toMatchObject({ status: 400, body: failure('already_revoked') });
    const clash = await client.post(`/api/auth/api-keys/${treasury.executive.keyId}/revoke`, undefined, once);
    expect(clash).toMatchObject({ status: 409, body: failure('idempotency_conflict') });
  });
});
