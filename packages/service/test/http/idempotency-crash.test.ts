import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimIdempotencyKey } from '../../src/actions/claim-idempotency-key.js';
import { createUser } from '../../src/actions/create-user.js';
import { settleIdempotencyKey } from '../../src/actions/settle-idempotency-key.js';
import { drizzleOn } from '../../src/db/client.js';
import { buildApp } from '../../src/http/app.js';
import { type Answer, clientOf, newWallet } from '../harness.js';
import { givenRedemption, type Redeeming, startRedeeming, tola } from '../redeeming.js';
import { registeredRoutes } from './routes.js';

/** The process dies at any statement of an idempotent request; whoever asks again gets one effect and its answer. */
let t: Redeeming;
/** A process whose database is gone from the statement on that `dieAt` says. */
let dying: FastifyInstance;
let dieAt = Number.POSITIVE_INFINITY;
let statements = 0;
/** A healthy process, after the claim of a dead one has lapsed. */
let healthy: FastifyInstance;
beforeAll(async () => {
  t = await startRedeeming({ indexes: false });
  const { ctx } = t.service;
  const logger = {
    logQuery() {
      statements += 1;
      if (statements >= dieAt) throw new Error('the process died');
    },
  };
  dying = await buildApp({ ...ctx, db: drizzleOn(ctx.sql.pool, logger) });
  healthy = await buildApp({ ...ctx, clock: { now: () => ctx.clock.now() + 31_000 } });
  // Leases of the key's budget, which come when they like, are not what is counted here.
  for (const app of [dying, healthy]) await clientOf(app, headers({})).get('/v1/users/gu_x');
});
afterAll(async () => {
  await dying.close();
  await healthy.close();
  await t.stop();
});

function headers(more: Record<string, string>): Record<string, string> {
  return { 'x-api-key': t.partner.apiKey, ...more };
}

interface Prepared {
  path: string;
  body?: unknown;
  /** How many effects of the request the database shows. */
  effects(): Promise<number>;
}

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
      path: '/v1/users',
      body: { user_id: userId, wallet_address: newWallet().address, kyc },
      effects: () => count(sql`select count(*)::int as n from users where partner_user_id = ${userId}`),
    };
  },
  'POST /v1/redemptions': async () => {
    const user = await t.service.givenUser(t.partner.partnerId);
    return {
      path: '/v1/redemptions',
      body: { service_user_id: user.id, denomination_id: tola.id, city: tola.city },
      effects: () => count(sql`select count(*)::int as n from redemptions where user_id = ${user.id}`),
    };
  },
  'POST /v1/redemptions/:redemption_id/cancel': async () => {
    const id = await givenRedemption(t.service, { partner: t.partner, user: t.user });
    return {
      path: `/v1/redemptions/${id}/cancel`,
      body: { reason: 'changed their mind' },
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
      path: `/v1/partner/api-keys/${id}/revoke`,
      effects: () =>
        count(sql`select count(*)::int as n from api_keys where id = ${id} and status = 'revoked'`),
    };
  },
};

test('these are all the routes that take an Idempotency-Key', async () => {
  const found = (await registeredRoutes(t.service.ctx))
    .filter(({ config }) => config?.idempotent)
    .map(({ method, url }) => `${method} ${url}`);
  expect(found.sort()).toEqual(Object.keys(routes).sort());
});

test.each(Object.keys(routes))(
  '%s: wherever the process dies, one effect, and the answer tells of it',
  async (route) => {
    const died: string[] = [];
    for (let at = 2; ; at += 1) {
      const { path, body, effects } = await (routes[route] as () => Promise<Prepared>)();
      const key = headers({ 'idempotency-key': randomBytes(12).toString('hex') });
      statements = 0;
      dieAt = at;
      const lost = await clientOf(dying, key).post(path, body);
      dieAt = Number.POSITIVE_INFINITY;
      const done = await effects();
      const again = await clientOf(healthy, key).post(path, body);
      const once = { route, at, status: again.status, effects: await effects() };
      expect(once).toEqual({
        route,
        at,
        status: again.status < 300 ? again.status : 'a success',
        effects: 1,
      });
      expect(again.headers['idempotency-replayed']).toBe(done === 1 ? 'true' : undefined);
      const third = await clientOf(healthy, key).post(path, body);
      expect(third).toMatchObject({ status: again.status, headers: { 'idempotency-replayed': 'true' } });
      expect(third.text).toBe(again.text);
      if (lost.status < 300) {
        // The process lived; only its answer was lost on the way.
        expect(again.text).toBe(lost.text);
        break;
      }
      died.push(`${lost.status} with ${done} effects`);
    }
    // The claim, the effect, the answer: several places to die at, and none of them after the effect is there.
    expect(died.length).toBeGreaterThanOrEqual(3);
    expect(new Set(died)).toEqual(new Set(['500 with 0 effects']));
  },
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

test('20 twins of each request: one effect, one answer', async () => {
  for (const [route, prepare] of Object.entries(routes)) {
    const { path, body, effects } = await prepare();
    const client = clientOf(t.service.app, headers({ 'idempotency-key': randomBytes(12).toString('hex') }));
    const answers: Answer[] = await Promise.all(Array.from({ length: 20 }, () => client.post(path, body)));
    const good = answers.filter(({ status }) => status < 300);
    expect({ route, effects: await effects() }).toEqual({ route, effects: 1 });
    expect(new Set(good.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers) {
      if (answer.status >= 300) expect(answer.body.error).toBe('idempotency_conflict');
    }
  }
});
