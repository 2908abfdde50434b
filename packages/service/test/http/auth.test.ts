import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepExpired } from '../../src/actions/sweep-expired.js';
import { apiKeys, challenges, partners, partnerWallets } from '../../src/db/schema.js';
import {
  type Client,
  clientOf,
  expectStatus,
  type GivenPartner,
  type Harness,
  harness,
  newAddress,
  newWallet,
} from '../harness.js';
import { envelopeOf } from '../off-chain-envelope.js';
import { changesOf } from '../operators.js';

let h: Harness;
beforeAll(async () => {
  // Fifty requests at once may keep a busy machine longer than a caller would wait.
  h = await harness({ respondWithinMs: 60_000 });
});
afterAll(() => h.close());

const fresh = (): Client => clientOf(h.app, {}, { remoteAddress: newAddress() });

async function challengeOf(partner: GivenPartner) {
  const response = await fresh().post('/v1/auth/challenge', {
    wallet_address: partner.wallet.address,
    partner_id: partner.partnerId,
  });
  return response.body as { challenge_id: string; message: string; expires_at: string };
}

const keysOf = (partner: GivenPartner) =>
  h.ctx.db.select().from(apiKeys).where(eq(apiKeys.partnerId, partner.partnerId));

describe('POST /v1/auth/challenge', () => {
  test('POST /v1/auth/challenge gives a message to sign that lives for two minutes', async () => {
    const response = await fresh().post('/v1/auth/challenge', {
      wallet_address: h.main.wallet.address,
      partner_id: h.main.partnerId,
    });
    expect(response.status).toBe(200);
    expect(Object.keys(response.body).sort()).toEqual(['challenge_id', 'expires_at', 'message']);
    expect(response.body.challenge_id).toMatch(
      /^ch_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(response.body.message).toBe(
      `Sign this message to generate an API key for Karat: ${response.body.challenge_id}`,
    );
    expect(response.body.expires_at).toBe(new Date(h.clock.now() + 120_000).toISOString());
  });

  test.each([
    ['a partner that does not exist', { partner_id: '01890000-0000-7000-8000-000000000000' }],
    ['a partner id that is no UUID', { partner_id: 'acme\u0000' }],
    ['a wallet of nobody', { wallet_address: newWallet().address }],
  ])('POST /v1/auth/challenge responds 404 for %s', async (_name, change) => {
    const body = { wallet_address: h.main.wallet.address, partner_id: h.main.partnerId, ...change };
    const response = await fresh().post('/v1/auth/challenge', body);
    expect(response).toMatchObject({ status: 404, body: { error: 'wallet_not_found' } });
  });

  test("POST /v1/auth/challenge responds 404 for another partner's wallet, and wallet_revoked for a revoked one", async () => {
    const revoked = await h.givenPartner({ walletStatus: 'revoked' });
    const ask = (partner_id: string) =>
      fresh().post('/v1/auth/challenge', { wallet_address: revoked.wallet.address, partner_id });
    expect(await ask(h.main.partnerId)).toMatchObject({ status: 404, body: { error: 'wallet_not_found' } });
    expect(await ask(revoked.partnerId)).toMatchObject({ status: 400, body: { error: 'wallet_revoked' } });
  });

  test('POST /v1/auth/challenge takes a partner id in capitals', async () => {
    const response = await fresh().post('/v1/auth/challenge', {
      wallet_address: h.main.wallet.address,
      partner_id: h.main.partnerId.toUpperCase(),
    });
    expect(response.status).toBe(200);
  });
});

describe('POST /v1/auth/api-key', () => {
  test('mints a key that works and of which only the hash is kept', async () => {
    const partner = await h.givenPartner();
    const { response } = await h.mintKey(partner, 'Back office ✨');
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      api_key: expect.stringMatching(/^service_partner_[0-9a-f]{64}$/),
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      scope: 'PARTNER',
      key_name: 'Back office ✨',
      wallet_address: partner.wallet.address,
      created_at: new Date(h.clock.now()).toISOString(),
    });
    const used = await clientOf(h.app, { 'x-api-key': response.body.api_key }).get('/v1/partner/api-keys');
    expect(used.status).toBe(200);
    const [stored] = await h.ctx.db.select().from(apiKeys).where(eq(apiKeys.id, response.body.key_id));
    const sha256 = createHash('sha256').update(response.body.api_key).digest();
    expect(Buffer.from(stored?.hash ?? []).equals(sha256)).toBe(true);
    const text = JSON.stringify(await h.ctx.db.execute(sql`select * from api_keys`));
    expect(text).not.toContain(response.body.api_key.slice('service_partner_'.length));
  });

  test('POST /v1/auth/api-key leaves its address and partner in the audit log and in the log line, but not itself', async () => {
    const partner = await h.givenPartner();
    const { response, challenge } = await h.mintKey(partner, 'Back office');
    const [entry, ...others] = await changesOf(h, 'api_key', response.body.key_id);
    expect(others).toEqual([]);
    expect(entry).toEqual({
      action: 'api_key.create',
      before: null,
      after: {
        surface: 'partner',
        partner_id: partner.partnerId,
        wallet_address: partner.wallet.address,
        key_name: 'Back office',
        scope: 'PARTNER',
        expires_at: null,
        address: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
      },
      reason: null,
      operatorId: null,
    });
    const lines = h.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered');
    for (const { headers, more } of [
      { headers: challenge.headers, more: {} },
      { headers: response.headers, more: { key_id: response.body.key_id } },
    ]) {
      expect(lines.find((line) => line.request_id === headers['x-request-id'])).toMatchObject({
        remote_address: entry?.after?.address,
        partner_id: partner.partnerId,
        ...more,
      });
    }
  });

  test('exactly one of 50 requests that race for a challenge yields a key', async () => {
    const partner = await h.givenPartner();
    const { challenge_id, message } = await challengeOf(partner);
    const body = { challenge_id, signature: partner.wallet.sign(message), key_name: 'race' };
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => fresh().post('/v1/auth/api-key', body)),
    );
    const losers = responses.filter((response) => response.status !== 201);
    expect(losers).toHaveLength(49);
    expect(losers.map((response) => response.body.error)).toEqual(Array(49).fill('invalid_challenge'));
    expect(await keysOf(partner)).toHaveLength(2);
    for (const response of responses) if (response.body.api_key) h.secrets.add(response.body.api_key);
  });

  test('a failed signature does not use the challenge up', async () => {
    const partner = await h.givenPartner();
    const { challenge_id, message } = await challengeOf(partner);
    const client = fresh();
    const wrong = await client.post('/v1/auth/api-key', {
      challenge_id,
      signature: newWallet().sign(message),
      key_name: 'k',
    });
    expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_signature', field: 'signature' } });
    expect(await keysOf(partner)).toHaveLength(1);
    const body = { challenge_id, signature: partner.wallet.sign(message), key_name: 'k' };
    expect((await client.post('/v1/auth/api-key', body)).status).toBe(201);
    const again = await client.post('/v1/auth/api-key', body);
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_challenge' } });
  });

  test('a signature of another message, or of a part of it, is refused', async () => {
    const partner = await h.givenPartner();
    const { challenge_id, message } = await challengeOf(partner);
    for (const text of [challenge_id, `${message} `, message.toLowerCase()]) {
      const response = await fresh().post('/v1/auth/api-key', {
        challenge_id,
        signature: partner.wallet.sign(text),
        key_name: 'k',
      });
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_signature' } });
    }
  });

  test('the signature of a Ledger, in the off-chain envelope, mints a key of the partner API', async () => {
    for (const form of ['full', 'short'] as const) {
      const partner = await h.givenPartner();
      const { challenge_id, message } = await challengeOf(partner);
      const signed = Buffer.from(partner.wallet.signBytes(envelopeOf(form, partner.wallet, message)));
      const body = { challenge_id, signature: signed.toString('base64'), key_name: 'ledger' };
      const other = Buffer.from(partner.wallet.signBytes(envelopeOf(form, partner.wallet, `${message} `)));
      const wrong = await fresh().post('/v1/auth/api-key', { ...body, signature: other.toString('base64') });
      expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_signature' } });
      expectStatus(await fresh().post('/v1/auth/api-key', body), 201);
    }
  });

  test('a base58 signature is refused with a hint at base64', async () => {
    const { challenge_id, message } = await challengeOf(h.main);
    const base58 = getBase58Decoder().decode(h.main.wallet.signBytes(Buffer.from(message)));
    const response = await fresh().post('/v1/auth/api-key', {
      challenge_id,
      signature: base58,
      key_name: 'k',
    });
    expect(response).toMatchObject({
      status: 400,
      body: { error: 'invalid_signature', message: 'The signature must be base64, not base58.' },
    });
  });

  test.each([
    ['URL-safe letters', (s: string) => `-_${s.slice(2)}`],
    ['no padding', (s: string) => s.slice(0, -2)],
    ['white space', (s: string) => ` ${s}`],
    ['a line break', (s: string) => `${s.slice(0, 44)}\n${s.slice(44)}`],
    ['stray bits before the padding', (s: string) => `${s.slice(0, 85)}${s[85] === 'A' ? 'B' : 'R'}==`],
  ])('base64 is strict: %s', async (_name, change) => {
    const { challenge_id, message } = await challengeOf(h.main);
    const signature = change(h.main.wallet.sign(message));
    const response = await fresh().post('/v1/auth/api-key', { challenge_id, signature, key_name: 'k' });
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request', field: 'signature' } });
  });

  test('good base64 of anything but 64 bytes is an invalid signature', async () => {
    const { challenge_id } = await challengeOf(h.main);
    for (const length of [1, 63, 65, 128]) {
      const signature = Buffer.alloc(length, 7).toString('base64');
      const response = await fresh().post('/v1/auth/api-key', { challenge_id, signature, key_name: 'k' });
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_signature' } });
    }
  });

  test('a challenge lives for exactly two minutes', async () => {
    const partner = await h.givenPartner();
    const [onTime, late] = [await challengeOf(partner), await challengeOf(partner)];
    const mint = (challenge: { challenge_id: string; message: string }) =>
      fresh().post('/v1/auth/api-key', {
        challenge_id: challenge.challenge_id,
        signature: partner.wallet.sign(challenge.message),
        key_name: 'k',
      });
    h.clock.advance(120_000);
    expect((await mint(onTime)).status).toBe(201);
    h.clock.advance(1);
    expect(await mint(late)).toMatchObject({ status: 400, body: { error: 'challenge_expired' } });
    expect(await mint(onTime)).toMatchObject({ status: 400, body: { error: 'invalid_challenge' } });
  });

  test('a challenge is reported as expired for 30 days', async () => {
    const partner = await h.givenPartner();
    const { challenge_id, message } = await challengeOf(partner);
    const body = { challenge_id, signature: partner.wallet.sign(message), key_name: 'k' };
    const begin = h.clock.now();
    h.clock.advance(120_000 + 30 * 86_400_000);
    await sweepExpired(h.ctx, AbortSignal.any([]));
    expect(await fresh().post('/v1/auth/api-key', body)).toMatchObject({
      status: 400,
      body: { error: 'challenge_expired' },
    });
    h.clock.advance(1);
    await sweepExpired(h.ctx, AbortSignal.any([]));
    expect(await fresh().post('/v1/auth/api-key', body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_challenge' },
    });
    h.clock.advance(begin - h.clock.now());
  });

  test('an unknown challenge is invalid, whatever its form', async () => {
    for (const challenge_id of ['ch_01890000-0000-7000-8000-000000000000', 'nonsense', 'gu_x', '\u0000']) {
      const signature = h.main.wallet.sign('x');
      const response = await fresh().post('/v1/auth/api-key', { challenge_id, signature, key_name: 'k' });
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_challenge' } });
    }
  });

  test('a wallet revoked since the challenge mints no key', async () => {
    const partner = await h.givenPartner();
    const { challenge_id, message } = await challengeOf(partner);
    await h.ctx.db
      .update(partnerWallets)
      .set({ status: 'revoked', revokedAt: new Date(h.clock.now()) })
      .where(eq(partnerWallets.walletAddress, partner.wallet.address));
    const body = { challenge_id, signature: partner.wallet.sign(message), key_name: 'k' };
    expect(await fresh().post('/v1/auth/api-key', body)).toMatchObject({
      status: 400,
      body: { error: 'wallet_revoked' },
    });
    expect(await keysOf(partner)).toHaveLength(1);
  });

  test('a wrong signature is refused while the partner is locked, and locks nothing itself', async () => {
    const partner = await h.givenPartner();
    const { challenge_id } = await challengeOf(partner);
    const body = { challenge_id, signature: partner.wallet.sign('another message'), key_name: 'k' };
    await h.ctx.db.transaction(async (tx) => {
      await tx.select().from(partners).where(eq(partners.id, partner.partnerId)).for('update');
      expect(await fresh().post('/v1/auth/api-key', body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_signature' },
      });
    });
  });

  test('a suspended partner gets a challenge but mints no key', async () => {
    const partner = await h.givenPartner();
    await h.ctx.db.update(partners).set({ status: 'suspended' }).where(eq(partners.id, partner.partnerId));
    const { challenge, response } = await h.mintKey(partner);
    expect(challenge.status).toBe(200);
    expect(response).toMatchObject({ status: 403, body: { error: 'partner_suspended' } });
    const [row] = await h.ctx.db
      .select()
      .from(challenges)
      .where(eq(challenges.id, challenge.body.challenge_id));
    expect(row?.usedAt).toBeNull();
  });
});
