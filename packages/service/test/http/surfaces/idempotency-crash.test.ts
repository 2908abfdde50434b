import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimIdempotencyKey } from '../../../src/actions/claim-idempotency-key.js';
import { completeIdempotencyKey } from '../../../src/actions/complete-idempotency-key.js';
import { checkNewUser, createUser } from '../../../src/actions/users/create-user.js';
import { type EndpointId, uuidOf } from '../../../src/domain/ids.js';
import { requestHash } from '../../../src/domain/request-hash.js';
import { buildApp } from '../../../src/http/app.js';
import { clientOf, newWallet } from '../../harness.js';
import { givenKey, type RoleClient } from '../../karat.js';
import { paths } from '../../ordering.js';
import { givenRedemption, tola } from '../../redeeming.js';
import { count, describeIdempotency, type Prepared } from './idempotency-crash.js';
import { partner, type Surface, tradebook } from './surfaces.js';
import { startWorld, userBody, type World } from './world.js';

/** The requests of partners that write a record, each with deaths at every change and with twins. */

let w: World;
beforeAll(async () => {
  w = await startWorld();
});
afterAll(() => w?.stop());

const ctx = () => w.service.ctx;
const asPartner = (url: string, body: unknown, query: Parameters<typeof count>[1]): Prepared => ({
  url,
  body,
  secret: w.own.partner.apiKey,
  effects: () => count(ctx(), query),
});
const revoked = (id: string) =>
  sql`select count(*)::int as n from api_keys where id = ${id} and status = 'revoked'`;

const partnerRoutes: Record<string, () => Promise<Prepared>> = {
  'POST /v1/users': async () => {
    const userId = randomBytes(8).toString('hex');
    const found = sql`select count(*)::int as n from users where partner_user_id = ${userId}`;
    return asPartner('/v1/users', userBody({ user_id: userId }), found);
  },
  'POST /v1/redemptions': async () => {
    const { id } = await w.service.givenUser(w.own.partner.partnerId);
    const body = { service_user_id: id, denomination_id: tola.id, city: tola.city };
    const found = sql`select count(*)::int as n from redemptions where user_id = ${uuidOf(id)}`;
    return asPartner('/v1/redemptions', body, found);
  },
  'POST /v1/redemptions/:redemption_id/cancel': async () => {
    const id = await givenRedemption(w.service, w.own);
    const found = sql`select count(*)::int as n from redemption_history
      where redemption_id = ${uuidOf(id)} and to_status = 'cancellation_requested'`;
    return asPartner(`/v1/redemptions/${id}/cancel`, { reason: 'changed their mind' }, found);
  },
  'POST /v1/partner/api-keys/:key_id/revoke': async () => {
    const id: string = (await w.service.mintKey(w.own.partner)).response.body.key_id;
    return asPartner(`/v1/partner/api-keys/${id}/revoke`, undefined, revoked(id));
  },
  'POST /v1/webhook-endpoints': async () => {
    await deleteOldEndpoints();
    const description = randomBytes(8).toString('hex');
    const found = sql`select count(*)::int as n from webhook_endpoints where description = ${description}`;
    return asPartner('/v1/webhook-endpoints', { url: publicUrl, description }, found);
  },
  'POST /v1/webhook-endpoints/:endpoint_id/rotate-secret': async () => {
    const id = await givenEndpoint();
    const found = sql`select count(*)::int as n from webhook_endpoints
      where id = ${uuidOf(id)} and previous_secret is not null`;
    return asPartner(`/v1/webhook-endpoints/${id}/rotate-secret`, { overlap_hours: 1 }, found);
  },
  'DELETE /v1/webhook-endpoints/:endpoint_id': async () => {
    const id = await givenEndpoint();
    const found = sql`select (1 - count(*))::int as n from webhook_endpoints where id = ${uuidOf(id)}`;
    return asPartner(`/v1/webhook-endpoints/${id}`, undefined, found);
  },
  'POST /v1/webhook-endpoints/:endpoint_id/resend': async () => {
    const id = await givenEndpoint();
    const { apiKey } = w.own.partner;
    const client = clientOf(w.service.app, { 'x-api-key': apiKey });
    await client.post('/v1/users', userBody());
    const { body } = await client.get('/v1/events?types=user.created&limit=1');
    const found = sql`select count(*)::int as n from webhook_deliveries where endpoint_id = ${uuidOf(id)}`;
    return asPartner(`/v1/webhook-endpoints/${id}/resend`, { event_id: body.events[0].id }, found);
  },
};

const publicUrl = 'https://93.184.216.34/events';

/** A partner has ten of them at most. */
const deleteOldEndpoints = () =>
  ctx().db.execute(sql`delete from webhook_endpoints
    where id in (select id from webhook_endpoints order by id desc offset 5)`);

async function givenEndpoint(): Promise<EndpointId> {
  await deleteOldEndpoints();
  const client = clientOf(w.service.app, { 'x-api-key': w.own.partner.apiKey });
  return (await client.post('/v1/webhook-endpoints', { url: publicUrl })).body.endpoint_id;
}

/** An order that is known again by its metadata. */
function orderOf({ apiKey }: RoleClient, url: string, body: object): Prepared {
  const reference = randomBytes(8).toString('hex');
  const found = sql`select count(*)::int as n from orders where metadata->>'reference' = ${reference}`;
  const effects = () => count(ctx(), found);
  return { url, body: { ...body, metadata: { reference } }, secret: apiKey, effects };
}

const tradebookRoutes: Record<string, () => Promise<Prepared>> = {
  'POST /api/trading/purchases/partner': async () =>
    orderOf(w.own.vault.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 }),
  'POST /api/trading/sales/partner': async () =>
    orderOf(w.own.vault.executive, paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 }),
  'POST /api/trading/withdrawals': async () =>
    orderOf(w.own.vault.withdrawal, paths.withdrawals, { amount: 1, tokenType: 'gold' }),
  'PUT /api/distribution/partner/:partnerId/executive-authority': async () => {
    const { partnerId, update } = w.own.vault;
    const { address } = newWallet();
    const found = sql`select count(*)::int as n from orders where ${address} = any(added)`;
    const effects = () => count(ctx(), found);
    return { url: paths.executives(partnerId), body: { add: [address] }, secret: update.apiKey, effects };
  },
  'POST /api/auth/api-keys/:keyId/revoke': async () => {
    const { partnerId, executive, update } = w.own.vault;
    const scope = 'PARTNER_EXECUTIVE_AUTHORITY';
    const { keyId } = await givenKey(w.service, { partnerId, wallet: executive.wallet, scope });
    const effects = () => count(ctx(), revoked(keyId));
    return { url: `/api/auth/api-keys/${keyId}/revoke`, secret: update.apiKey, effects };
  },
};

const tables: [Surface, typeof partnerRoutes, () => string[], string][] = [
  [partner, partnerRoutes, () => [w.own.partner.apiKey], '/v1/users/gu_x'],
  [
    tradebook,
    tradebookRoutes,
    () => [w.own.vault.executive, w.own.vault.update, w.own.vault.withdrawal].map(({ apiKey }) => apiKey),
    '/api/trading/sales/x',
  ],
];

describe.each(tables)('$name', (surface, routes, secrets, path) => {
  describeIdempotency(surface, {
    ctx,
    living: () => w.service.app,
    build: buildApp,
    async lease(app) {
      for (const secret of secrets()) await clientOf(app, surface.credentials(secret)).get(path);
    },
    routes,
    includes: (url) => /^\/api(\/|$)/.test(url) === (surface === tradebook),
  });
});

test('an action that lost its claim meanwhile undoes what it did', async () => {
  const { ctx, main } = w.service;
  const scope = { ownerId: main.partnerId, route: 'POST /v1/users', key: randomBytes(12).toString('hex') };
  const slow = await claimIdempotencyKey(ctx, scope, requestHash({}));
  const late = { ...ctx, clock: { now: () => ctx.clock.now() + 31_000 } };
  expect(await claimIdempotencyKey(late, scope, requestHash({}))).toHaveProperty('claim');
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
    requestId: null,
  };
  const principal = { keyId: main.keyId, partnerId: main.partnerId };
  const response = { status: 201, response: '{}' };
  const checked = await checkNewUser(ctx, principal, input);
  const acting = ctx.db.transaction(async (tx) => {
    await createUser(ctx, tx, checked);
    await completeIdempotencyKey(tx, slow.claim, response);
  });
  await expect(acting).rejects.toMatchObject({ code: 'idempotency_conflict' });
  expect(await count(ctx, sql`select count(*)::int as n from users where partner_user_id = 'slow'`)).toBe(0);
});
