import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.js';
import { cosign } from '../chain/signed-trade.js';
import { type Answer, clientOf, newAddress, newWallet } from '../harness.js';
import { eventually, usualPrice } from '../karat-chain.js';
import { givenRedemption, seedDenominations, tola } from '../redeeming.js';
import { startTrading, type Trading } from '../trading.js';

/** Every error code of the specification's section 7, reached over HTTP, with its status and the field to blame. */

let t: Trading;
/** A process that allows a key one request a minute. */
let strict: FastifyInstance;
beforeAll(async () => {
  t = await startTrading();
  await seedDenominations(t.service);
  const { ctx } = t.service;
  strict = await buildApp({ ...ctx, config: { ...ctx.config, keyRateLimitPerMinute: 1 } });
});
afterAll(async () => {
  await strict.close();
  await t.stop();
});

const anonymous = () => clientOf(t.service.app, {}, { remoteAddress: newAddress() });
const partner = () => t.partner.client;

function newUser(overrides: object = {}, kyc: object = {}) {
  return {
    user_id: newWallet().address,
    wallet_address: newWallet().address,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
      ...kyc,
    },
    ...overrides,
  };
}

async function challenge(who = t.partner) {
  const body = { wallet_address: who.wallet.address, partner_id: who.partnerId };
  return (await anonymous().post('/v1/auth/challenge', body)).body;
}

const mint = (challengeId: string, signature: string) =>
  anonymous().post('/v1/auth/api-key', { challenge_id: challengeId, signature, key_name: 'k' });

const buy = (userId: string, client = partner()) =>
  client.post('/v1/buy', { service_user_id: userId, usdc_amount: 10 });
const sell = (userId: string, client = partner()) =>
  client.post('/v1/sell', { service_user_id: userId, gold_amount: 0.01 });
const redeem = (userId: string, more: object = {}, client = partner()) =>
  client.post('/v1/redemptions', {
    service_user_id: userId,
    denomination_id: tola.id,
    city: tola.city,
    ...more,
  });
const execute = (query: ReturnType<typeof sql>) => t.service.ctx.db.execute(query);
const unknown = 'gu_01890000-0000-7000-8000-000000000000';

/** A price that grew old, for as long as `ask` takes. */
async function withStalePrice(ask: () => Promise<Answer>): Promise<Answer> {
  t.chain.price.set({ ...usualPrice, publishTimeSeconds: 1n });
  try {
    return await eventually(async () => {
      const answer = await ask();
      if (answer.status < 300) throw new Error('still priced');
      return answer;
    }, 10_000);
  } finally {
    t.chain.price.set(usualPrice);
    await eventually(() => void t.service.ctx.chain.price.current(), 10_000);
  }
}

interface Case {
  of: string;
  ask: () => Promise<Answer>;
  field?: string;
}

/** Codes in the order of the specification. */
const codes: [number, string, Case[]][] = [
  [
    400,
    'invalid_request',
    [
      {
        of: 'a missing field',
        ask: () => partner().post('/v1/users', newUser({ user_id: undefined })),
        field: 'user_id',
      },
      {
        of: 'a nested field',
        ask: () => partner().post('/v1/users', newUser({}, { country: 'XX' })),
        field: 'kyc.country',
      },
      { of: 'a body that is no JSON', ask: () => partner().post('/v1/users', '{') },
      {
        of: 'an amount that is not positive',
        ask: () => partner().post('/v1/buy', { service_user_id: t.user.id, usdc_amount: 0 }),
        field: 'usdc_amount',
      },
    ],
  ],
  [
    400,
    'invalid_wallet',
    [
      {
        of: 'a user',
        ask: () => partner().post('/v1/users', newUser({ wallet_address: 'x' })),
        field: 'wallet_address',
      },
      {
        of: 'a challenge',
        ask: () =>
          anonymous().post('/v1/auth/challenge', { wallet_address: 'x', partner_id: t.partner.partnerId }),
        field: 'wallet_address',
      },
    ],
  ],
  [
    400,
    'invalid_signature',
    [
      {
        of: 'another wallet',
        async ask() {
          const { challenge_id: id, message } = await challenge();
          return mint(id, newWallet().sign(message));
        },
        field: 'signature',
      },
    ],
  ],
  [
    400,
    'invalid_challenge',
    [
      { of: 'an unknown challenge', ask: () => mint('ch_nonsense', newWallet().sign('x')) },
      {
        of: 'a used challenge',
        async ask() {
          const { challenge_id: id, message } = await challenge();
          const signature = t.partner.wallet.sign(message);
          t.service.secrets.add((await mint(id, signature)).body.api_key);
          return mint(id, signature);
        },
      },
    ],
  ],
  [
    400,
    'challenge_expired',
    [
      {
        of: 'a challenge of two minutes ago',
        async ask() {
          const { challenge_id: id, message } = await challenge();
          await execute(sql`update challenges set created_at = now() - interval '3 minutes',
            expires_at = now() - interval '1 minute' where id = ${id}`);
          return mint(id, t.partner.wallet.sign(message));
        },
      },
    ],
  ],
  [
    400,
    'wallet_revoked',
    [
      {
        of: 'a wallet that was revoked meanwhile',
        async ask() {
          const other = await t.service.givenPartner();
          const { challenge_id: id, message } = await challenge(other);
          await execute(sql`update partner_wallets set status = 'revoked', revoked_at = now()
            where partner_id = ${other.partnerId}`);
          return mint(id, other.wallet.sign(message));
        },
      },
    ],
  ],
  [
    400,
    'invalid_denomination',
    [
      {
        of: 'an unknown one',
        ask: () => redeem(t.user.id, { denomination_id: 'x' }),
        field: 'denomination_id',
      },
      {
        of: 'an inactive one',
        ask: () => redeem(t.user.id, { denomination_id: 'pk_old' }),
        field: 'denomination_id',
      },
    ],
  ],
  [
    400,
    'invalid_city',
    [{ of: 'another city', ask: () => redeem(t.user.id, { city: 'Lahore' }), field: 'city' }],
  ],
  [
    400,
    'kyc_level_insufficient',
    [
      {
        of: 'a new user',
        ask: () => partner().post('/v1/users', newUser({}, { kyc_level: 'basic' })),
        field: 'kyc.kyc_level',
      },
      ...([buy, sell, redeem] as const).map((ask) => ({
        of: `a user who ${ask.name}s`,
        ask: async () => ask((await t.service.givenUser(t.partner.partnerId, { kycLevel: 'basic' })).id),
      })),
    ],
  ],
  [
    400,
    'onchain_config_missing',
    ([buy, sell] as const).map((ask) => ({
      of: `a partner that is not on chain: ${ask.name}`,
      async ask() {
        const other = await t.service.givenPartner();
        return ask((await t.service.givenUser(other.partnerId)).id, other.client);
      },
    })),
  ],
  [
    400,
    'wallet_missing',
    ([buy, sell] as const).map((ask) => ({
      of: `a partner without an active wallet: ${ask.name}`,
      async ask() {
        const other = await t.service.givenPartner({ walletStatus: 'revoked' });
        return ask((await t.service.givenUser(other.partnerId)).id, other.client);
      },
    })),
  ],
  [
    400,
    'broadcast_failed',
    [
      {
        of: 'good base64 that is no transaction',
        ask: () => partner().post(`/v1/buy/trd_${unknown.slice(3)}/submit`, { signed_tx: 'AAAA' }),
      },
      {
        of: 'the node’s refusal',
        async ask() {
          const poor = await t.service.givenUser(t.partner.partnerId);
          const { body } = await buy(poor.id);
          const bytes = Buffer.from(body.partially_signed_transaction, 'base64');
          const signed_tx = Buffer.from(cosign(bytes, [t.partner.wallet, poor.wallet])).toString('base64');
          return partner().post(`/v1/buy/${body.trade_id}/submit`, { signed_tx });
        },
      },
    ],
  ],
  [
    400,
    'cancellation_not_allowed',
    (['preparing', 'ready', 'collected', 'cancellation_requested', 'cancelled', 'failed'] as const).map(
      (status) => ({
        of: `a redemption that is ${status}`,
        async ask() {
          const id = await givenRedemption(t.service, { partner: t.partner, user: t.user }, { status });
          return partner().post(`/v1/redemptions/${id}/cancel`);
        },
      }),
    ),
  ],
  [
    401,
    'unauthorized',
    [
      { of: 'no key', ask: () => anonymous().get('/v1/users') },
      {
        of: 'an unknown key',
        ask: () =>
          clientOf(t.service.app, { 'x-api-key': `service_partner_${'0'.repeat(64)}` }).get('/v1/users'),
      },
    ],
  ],
  [
    403,
    'insufficient_scope',
    [
      {
        of: 'a key of another scope',
        ask: async () => (await t.service.givenPartner({ scope: 'ADMIN' })).client.get('/v1/users'),
      },
    ],
  ],
  [
    403,
    'partner_mismatch',
    [
      {
        of: "another partner's user",
        ask: async () => (await t.service.givenPartner()).client.get(`/v1/users/${t.user.id}`),
      },
    ],
  ],
  [
    403,
    'partner_suspended',
    [
      {
        of: 'a suspended partner',
        ask: async () => (await t.service.givenPartner({ status: 'suspended' })).client.get('/v1/users'),
      },
      {
        of: 'a new key for a suspended partner',
        async ask() {
          const other = await t.service.givenPartner();
          const { challenge_id: id, message } = await challenge(other);
          await execute(sql`update partners set status = 'suspended' where id = ${other.partnerId}`);
          return mint(id, other.wallet.sign(message));
        },
      },
    ],
  ],
  [
    403,
    'user_suspended',
    ([buy, sell, redeem] as const).map((ask) => ({
      of: `a suspended user who ${ask.name}s`,
      ask: async () => ask((await t.service.givenUser(t.partner.partnerId, { status: 'suspended' })).id),
    })),
  ],
  [
    404,
    'user_not_found',
    [
      { of: 'an unknown user', ask: () => partner().get(`/v1/users/${unknown}`) },
      ...([buy, sell, redeem] as const).map((ask) => ({
        of: `an unknown user: ${ask.name}`,
        ask: () => ask(unknown),
      })),
    ],
  ],
  [404, 'trade_not_found', [{ of: 'an unknown trade', ask: () => partner().get('/v1/trades/trd_x') }]],
  [
    404,
    'redemption_not_found',
    [
      { of: 'an unknown redemption', ask: () => partner().get('/v1/redemptions/red_x') },
      {
        of: 'a quote that has not landed',
        async ask() {
          const owner = { partner: t.partner, user: t.user };
          return partner().get(
            `/v1/redemptions/${await givenRedemption(t.service, owner, { status: 'quoted' })}`,
          );
        },
      },
    ],
  ],
  [
    409,
    'user_already_exists',
    [
      {
        of: 'a wallet that is taken',
        ask: () => partner().post('/v1/users', newUser({ wallet_address: t.user.wallet.address })),
        field: 'wallet_address',
      },
      {
        of: 'an id that is taken',
        async ask() {
          const { partnerUserId } = await t.service.givenUser(t.partner.partnerId);
          return partner().post('/v1/users', newUser({ user_id: partnerUserId }));
        },
        field: 'user_id',
      },
    ],
  ],
  [
    429,
    'rate_limited',
    [
      {
        of: 'an eleventh request to the auth routes',
        async ask() {
          const client = anonymous();
          for (let i = 0; i < 10; i += 1) await client.post('/v1/auth/challenge', {});
          return client.post('/v1/auth/challenge', {});
        },
      },
      {
        of: 'a key above its budget',
        async ask() {
          const { apiKey } = await t.service.givenPartner();
          const client = clientOf(strict, { 'x-api-key': apiKey });
          await client.get('/v1/users');
          return client.get('/v1/users');
        },
      },
    ],
  ],
  [
    503,
    'pricing_unavailable',
    ([buy, sell, redeem] as const).map((ask) => ({
      of: `a price that is too old: ${ask.name}`,
      ask: () => withStalePrice(() => ask(t.user.id)),
    })),
  ],
];

test('these are the 24 codes of the specification', () => {
  expect(codes).toHaveLength(24);
  expect(new Set(codes.map(([, code]) => code)).size).toBe(24);
});

describe.each(codes)('%d %s', (status, code, cases) => {
  test.each(cases)('$of', async ({ ask, field }) => {
    const { body, headers, ...answer } = await ask();
    const { service_user_id: existing, ...shown } = body;
    expect([answer.status, shown]).toEqual([
      status,
      { error: code, message: expect.stringMatching(/\S/), ...(field === undefined ? {} : { field }) },
    ]);
    expect(existing === undefined || code === 'user_already_exists').toBe(true);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['x-request-id']).toEqual(expect.any(String));
  });
});
