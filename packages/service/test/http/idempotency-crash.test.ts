import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimIdempotencyKey } from '../../src/actions/claim-idempotency-key.js';
import { settleIdempotencyKey } from '../../src/actions/settle-idempotency-key.js';
import { createUser } from '../../src/actions/users/create-user.js';
import { buildApp } from '../../src/http/app.js';
import { clientOf, newWallet } from '../harness.js';
import {
  expectOneEffectOfDying,
  expectOneEffectOfTwins,
  type MortalClients,
  type Mortals,
  mortalContexts,
  type Prepared,
} from '../idempotent.js';
import { givenRedemption, type Redeeming, startRedeeming, tola } from '../redeeming.js';
import { idempotentOf, routesOf } from './routes.js';

/** The requests of the partner API that write a record, each with deaths at every statement and with twins. */
let t: Redeeming;
let mortals: Mortals;
let clients: MortalClients;
let apps: FastifyInstance[];
beforeAll(async () => {
  t = await startRedeeming({ indexes: false });
  mortals = mortalContexts(t.service.ctx);
  const [dying, healthy] = [await buildApp(mortals.dying), await buildApp(mortals.healthy)];
  apps = [dying, healthy];
  const of = (app: FastifyInstance) => clientOf(app, { 'x-api-key': t.partner.apiKey });
  clients = { dying: of(dying), healthy: of(healthy), living: t.partner.client };
  // Leases of the key's budget, which come when they like, are not what is counted here.
  for (const client of [clients.dying, clients.healthy]) await client.get('/v1/users/gu_x');
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await t.stop();
});

const posts =
  (path: string, body?: unknown): Prepared['send'] =>
  (mortal, key) =>
    clients[mortal].post(path, body, { 'idempotency-key': key });

const count = async (query: ReturnType<typeof sql>) =>
  (await t.service.ctx.db.execute<{ n: number }>(query))[0]?.n ?? -1;

/** Every idempotent route, each with a fresh thing to do. */
const routes: Record<string, () => Promise<Prepared>> = {
  'POST /v1/users': async () => {
    const userId = randomBytes(8).toString('hex');
    const kyc = {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00Z',
    };
    return {
      send: posts('/v1/users', { user_id: userId, wallet_address: newWallet().address, kyc }),
      effects: () => count(sql`select count(*)::int as n from users where partner_user_id = ${userId}`),
    };
  },
  'POST /v1/redemptions': async () => {
    const user = await t.service.givenUser(t.partner.partnerId);
    return {
      send: posts('/v1/redemptions', { service_user_id: user.id, denomination_id: tola.id, city: tola.city }),
      effects: () => count(sql`select count(*)::int as n from redemptions where user_id = ${user.id}`),
    };
  },
  'POST /v1/redemptions/:redemption_id/cancel': async () => {
    const id = await givenRedemption(t.service, { partner: t.partner, user: t.user });
    return {
      send: posts(`/v1/redemptions/${id}/cancel`, { reason: 'changed their mind' }),
      effects: () =>
        count(
          sql`select count(*)::int as n from redemption_history where redemption_id = ${id} and to_status = 'cancellation_requested'`,
        ),
    };
  },
  'POST /v1/partner/api-keys/:key_id/revoke': async () => {
    const { answer } = await t.service.mintKey(t.partner);
    const id: string = answer.body.key_id;
    return {
      send: posts(`/v1/partner/api-keys/${id}/revoke`),
      effects: () =>
        count(sql`select count(*)::int as n from api_keys where id = ${id} and status = 'revoked'`),
    };
  },
};

test('these are all the routes that take an Idempotency-Key', async () => {
  expect(idempotentOf(await routesOf(t.service.ctx, 'partner'))).toEqual(Object.keys(routes).sort());
});

test.each(Object.entries(routes))(
  '%s: wherever the process dies, one effect, and the answer tells of it',
  (route, prepare) => expectOneEffectOfDying(mortals, route, prepare),
);

test('an action that lost its claim meanwhile undoes what it did', async () => {
  const { ctx, main } = t.service;
  const scope = { ownerId: main.partnerId, route: 'POST /v1/users', key: randomBytes(12).toString('hex') };
  const slow = await claimIdempotencyKey(ctx, scope, {});
  const late = { ...ctx, clock: { now: () => ctx.clock.now() + 31_000 } };
  expect(await claimIdempotencyKey(late, scope, {})).toHaveProperty('claim');
  if (!('claim' in slow)) throw new Error('not claimed');
  const input = {
    userId: 'slow',
    walletAddress: newWallet().address,
    kyc: {
      country: 'PK',
      fullName: 'Ayesha Khan',
      kycProvider: 'sumsub',
      kycLevel: 'full',
      kycVerifiedAt: '2025-03-01T12:00:00Z',
      kycData: undefined,
    },
  };
  const principal = { keyId: main.keyId, partnerId: main.partnerId };
  const answer = { status: 201, answer: '{}' };
  await expect(
    createUser(ctx, principal, input, (tx) => settleIdempotencyKey(tx, slow.claim, answer)),
  ).rejects.toMatchObject({ code: 'idempotency_conflict' });
  expect(await count(sql`select count(*)::int as n from users where partner_user_id = 'slow'`)).toBe(0);
});

test.each(Object.entries(routes))('%s: 20 twins, one effect, one answer', (route, prepare) =>
  expectOneEffectOfTwins(route, prepare, ({ body }) => body.error),
);
