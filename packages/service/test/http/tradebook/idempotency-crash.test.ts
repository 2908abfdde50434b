import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../src/http/app.js';
import { clientOf, newWallet } from '../../harness.js';
import {
  expectOneEffectOfDying,
  expectOneEffectOfTwins,
  type Mortal,
  type Mortals,
  mortalContexts,
  type Prepared,
} from '../../idempotent.js';
import { givenKey, type Ordering, paths, type RoleClient, startOrdering } from '../../ordering.js';
import { idempotentOf, routesOf } from '../routes.js';

/** The requests of the tradebook API that write a record, each with deaths at every statement and with twins. */
let t: Ordering;
let mortals: Mortals;
let apps: Record<Mortal, FastifyInstance>;
beforeAll(async () => {
  t = await startOrdering();
  mortals = mortalContexts(t.service.ctx);
  apps = {
    dying: await buildApp(mortals.dying),
    healthy: await buildApp(mortals.healthy),
    living: t.service.app,
  };
  // Leases of the keys' budgets, which come when they like, are not what is counted here.
  for (const { apiKey } of [t.partner.executive, t.partner.update, t.partner.withdrawal]) {
    for (const app of [apps.dying, apps.healthy]) {
      await clientOf(app, { 'x-api-key': apiKey }).get('/api/trading/sales/x');
    }
  }
});
afterAll(async () => {
  await apps.dying.close();
  await apps.healthy.close();
  await t.stop();
});

const sends =
  (role: RoleClient, method: 'POST' | 'PUT', url: string, body?: unknown): Prepared['send'] =>
  (mortal, key) =>
    clientOf(apps[mortal], { 'x-api-key': role.apiKey, 'idempotency-key': key }).send({
      method,
      url,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
    });

const count = async (query: ReturnType<typeof sql>) =>
  (await t.service.ctx.db.execute<{ n: number }>(query))[0]?.n ?? -1;

/** An order that is known again by its metadata. */
function orderOf(role: RoleClient, url: string, body: object): Prepared {
  const reference = randomBytes(8).toString('hex');
  return {
    send: sends(role, 'POST', url, { ...body, metadata: { reference } }),
    effects: () =>
      count(sql`select count(*)::int as n from orders where metadata->>'reference' = ${reference}`),
  };
}

/** Every idempotent route, each with a fresh thing to do. */
const routes: Record<string, () => Promise<Prepared>> = {
  'POST /api/trading/purchases/partner': async () =>
    orderOf(t.partner.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 }),
  'POST /api/trading/sales/partner': async () =>
    orderOf(t.partner.executive, paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 }),
  'POST /api/trading/withdrawals': async () =>
    orderOf(t.partner.withdrawal, paths.withdrawals, { amount: 1, tokenType: 'gold' }),
  'PUT /api/distribution/partner/:partnerId/executive-authority': async () => {
    const { address } = newWallet();
    return {
      send: sends(t.partner.update, 'PUT', paths.executives(t.partner.partnerId), { add: [address] }),
      effects: () => count(sql`select count(*)::int as n from orders where ${address} = any(added)`),
    };
  },
  'POST /api/auth/api-keys/:keyId/revoke': async () => {
    const { partnerId, executive } = t.partner;
    const { keyId } = await givenKey(t.service, {
      partnerId,
      wallet: executive.wallet,
      scope: 'PARTNER_EXECUTIVE_AUTHORITY',
    });
    return {
      send: sends(t.partner.update, 'POST', `/api/auth/api-keys/${keyId}/revoke`),
      effects: () =>
        count(sql`select count(*)::int as n from api_keys where id = ${keyId} and status = 'revoked'`),
    };
  },
};

test('these are all the routes that take an Idempotency-Key', async () => {
  expect(idempotentOf(await routesOf(t.service.ctx, 'tradebook'))).toEqual(Object.keys(routes).sort());
});

test.each(Object.entries(routes))(
  '%s: wherever the process dies, one effect, and the answer tells of it',
  (route, prepare) => expectOneEffectOfDying(mortals, route, prepare),
);

test.each(Object.entries(routes))('%s: 20 twins, one effect, one answer', (route, prepare) =>
  expectOneEffectOfTwins(route, prepare, ({ body }) => body.error?.code),
);

test.each(Object.entries(routes))('%s: the same key for another body is a conflict', async (_, prepare) => {
  const [one, other] = [await prepare(), await prepare()];
  const key = randomBytes(12).toString('hex');
  expect((await one.send('living', key)).status).toBeLessThan(300);
  expect(await other.send('living', key)).toMatchObject({
    status: 409,
    body: { success: false, error: { code: 'idempotency_conflict', message: expect.stringMatching(/\S/) } },
  });
  expect(await other.effects()).toBe(0);
});
