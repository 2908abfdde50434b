import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/http/openapi/examples.js';
import { cosign } from '../../chain/signed-trade.js';
import { clientOf, expectStatus } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { givenRedemption } from '../../redeeming.js';
import { contractRoutes } from '../operator/contract-routes.js';
import { operator, partner, type Surface, tradebook } from './surfaces.js';
import { startWorld, type World } from './world.js';

/** Statements of the specification about a surface as a whole; docs/conformance.md says which. */

let w: World;
beforeAll(async () => {
  w = await startWorld();
});
afterAll(() => w?.stop());

interface Specified {
  surface: Surface;
  /** Routes that need a key or a token, and those that need none. */
  keyed: string[];
  open: string[];
  /** Where every path starts, but for some. */
  prefix: string;
  elsewhere: string[];
  fields: RegExp;
}

const snakeCase = /^[a-z]+(_[a-z]+)*$/;
const specified: Specified[] = [
  {
    surface: partner,
    open: [
      'get /health',
      'post /v1/auth/challenge',
      'post /v1/auth/api-key',
      // Additions to the specification.
      'get /ready',
      'get /v1/reserves',
      'get /v1/reserves/live',
      'get /v1/reserves/reports',
      'get /v1/reserves/statements',
      'get /v1/reserves/statements/{statement_id}',
      'get /v1/reserves/statements/{statement_id}/bars',
      'get /v1/reserves/statements/{statement_id}/proof',
      'get /v1/papers/keys',
      'get /v1/network',
      'get /token/gold.json',
      'post /v1/session',
      'post /v1/session/challenge',
      'post /v1/session/second-factor',
      'post /v1/members/invitations/accept',
    ],
    keyed: [
      'get /v1/partner/api-keys',
      'post /v1/partner/api-keys/{key_id}/revoke',
      'post /v1/users',
      'get /v1/users/{service_user_id}',
      'get /v1/denominations',
      'post /v1/buy',
      'post /v1/sell',
      'post /v1/buy/{trade_id}/submit',
      'post /v1/sell/{trade_id}/submit',
      'get /v1/trades/{trade_id}',
      'post /v1/redemptions',
      'post /v1/redemptions/{redemption_id}/submit',
      'post /v1/redemptions/{redemption_id}/cancel',
      'get /v1/redemptions/{redemption_id}',
      'get /v1/redemptions',
      // Additions to the specification.
      'get /v1/users',
      'get /v1/trades',
      'get /v1/events',
      'get /v1/events/stream',
      'get /v1/operations/{operation_id}',
      'post /v1/transactions/inspect',
      'post /v1/webhook-endpoints',
      'get /v1/webhook-endpoints',
      'get /v1/webhook-endpoints/{endpoint_id}',
      'patch /v1/webhook-endpoints/{endpoint_id}',
      'delete /v1/webhook-endpoints/{endpoint_id}',
      'post /v1/webhook-endpoints/{endpoint_id}/rotate-secret',
      'post /v1/webhook-endpoints/{endpoint_id}/test',
      'get /v1/webhook-endpoints/{endpoint_id}/deliveries',
      'get /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}',
      'post /v1/webhook-endpoints/{endpoint_id}/resend',
      'get /v1/me',
      'get /v1/limits',
      'get /v1/vault',
      'get /v1/orders',
      'get /v1/statements',
      'get /v1/trades/{trade_id}/receipt',
      'get /v1/redemptions/{redemption_id}/receipt',
      'get /v1/countries',
      'get /v1/price',
      'get /v1/price/history',
      'get /v1/users/{service_user_id}/balances',
      'get /v1/requests',
      'get /v1/requests/{request_id}',
      'get /v1/session',
      'delete /v1/session',
      'post /v1/session/confirm',
      'put /v1/session/password',
      'get /v1/session/factors',
      'post /v1/session/factors/challenges',
      'post /v1/session/factors/confirm',
      'post /v1/session/passkeys/options',
      'post /v1/session/passkeys',
      'patch /v1/session/passkeys/{passkey_id}',
      'post /v1/session/passkeys/{passkey_id}/remove',
      'post /v1/session/totp',
      'post /v1/session/totp/confirm',
      'post /v1/session/totp/remove',
      'post /v1/session/recovery-codes',
      'get /v1/members',
      'get /v1/members/audit',
      'patch /v1/members/{member_id}',
      'delete /v1/members/{member_id}',
      'get /v1/members/invitations',
      'post /v1/members/invitations',
      'delete /v1/members/invitations/{invitation_id}',
    ],
    prefix: '/v1/',
    elsewhere: ['/token/gold.json', '/health', '/ready'],
    fields: snakeCase,
  },
  {
    surface: tradebook,
    open: [
      'post /api/transactions/submit',
      // What the specification leaves open.
      'post /api/auth/challenge',
      'post /api/auth/api-key',
      'get /api/trading/gold/price',
      'post /api/transactions/submit-batch',
    ],
    keyed: [
      'put /api/distribution/partner/{partnerId}/executive-authority',
      'post /api/trading/purchases/partner',
      // What the specification leaves open.
      'get /api/auth/api-keys',
      'post /api/auth/api-keys/{keyId}/revoke',
      'get /api/distribution/partner/me',
      'post /api/trading/estimate/buy',
      'post /api/trading/estimate/sell',
      'get /api/trading/purchases/{purchaseId}',
      'post /api/trading/sales/partner',
      'get /api/trading/sales/{sellId}',
      'post /api/trading/withdrawals',
      'get /api/trading/withdrawals/{withdrawalId}',
    ],
    prefix: '/api/',
    elsewhere: [],
    fields: /^[a-z]+([A-Z][a-z]+)*$/,
  },
  {
    surface: operator,
    open: [
      'get /operator/v1/session/methods',
      'post /operator/v1/session',
      'post /operator/v1/session/second-factor',
      'post /operator/v1/session/single-sign-on',
      'post /operator/v1/session/single-sign-on/finish',
    ],
    keyed: contractRoutes.map(({ name }) => {
      const [method = '', path = ''] = name.split(' ');
      return `${method.toLowerCase()} /operator/v1${path.replace(/:(\w+)/g, '{$1}')}`;
    }),
    prefix: '/operator/v1/',
    elsewhere: [],
    fields: snakeCase,
  },
];

describe.each(specified)('$surface.name', ({ surface, keyed, open, prefix, elsewhere, fields }) => {
  const { document, operations } = surface;
  const isKeyed = ({ operation }: (typeof operations)[number]) => operation.security?.length !== 0;
  const namesWhere = (wanted: boolean) =>
    operations
      .filter((one) => isKeyed(one) === wanted)
      .map(({ method, path }) => `${method} ${path}`)
      .sort();

  test('the routes are those of the specification and additions, with methods and authentication', () => {
    expect(namesWhere(true)).toEqual(keyed.toSorted());
    expect(namesWhere(false)).toEqual(open.toSorted());
  });

  test.each(operations.filter(isKeyed))(
    '$method $path is 401 without a key and with one that is none',
    async ({ method, path }) => {
      const app = surface === operator ? w.operators.app : w.service.app;
      for (const credentials of [{}, ...['', surface.unknownSecret].map(surface.credentials)]) {
        const response = await clientOf(app, credentials).send({
          method: method.toUpperCase() as 'GET',
          url: path.replace(/\{\w+\}/g, 'x'),
          ...(method === 'get' ? {} : { headers: { 'content-type': 'application/json' }, payload: '{}' }),
        });
        expect([response.status, response.body]).toEqual([401, surface.failure('unauthorized')]);
      }
    },
  );

  test('every path but the probes and the document of the token starts with the prefix, and none has another version', () => {
    const paths = Object.keys(document.paths);
    expect(paths.filter((path) => !path.startsWith(prefix))).toEqual(elsewhere);
    for (const path of paths) expect(path.slice(prefix.length - 1)).not.toMatch(/\/v\d/);
  });

  test('the document names no webhook or callback of an operation: what happens can be polled', () => {
    expect(Object.keys(document)).not.toContain('webhooks');
    for (const { operation } of operations) expect(Object.keys(operation)).not.toContain('callbacks');
  });

  test('every field of requests and responses is written alike', () => {
    const names = operations.flatMap(({ operation }) => [
      ...(operation.parameters ?? []).flatMap(({ in: where, name }) => (where === 'header' ? [] : [name])),
      ...[operation.requestBody, ...Object.values(operation.responses)].flatMap((body) =>
        Object.values(body?.content ?? {}).flatMap(({ schema }) => namesOf(schema ?? {})),
      ),
    ]);
    const found = names.filter((name) => name !== undefined);
    expect(found.length).toBeGreaterThan(150);
    for (const name of found) expect(name).toMatch(fields);
  });

  test('every success and every error has the form of the surface', () => {
    const form = Object.keys(surface.failure('x')).sort();
    for (const { method, path, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const schema = Object.values(response.content ?? {})[0]?.schema ?? {};
        const names = (schema.anyOf ?? [schema]).flatMap((one) => Object.keys(one.properties ?? {})).sort();
        const at = `${method} ${path} ${status}`;
        if (surface === tradebook) expect(names, at).toEqual(status < '3' ? ['data', 'success'] : form);
        // The error of the endpoint that was tested is none of the request.
        else if (status < '3')
          expect(names, at).not.toContain(names.includes('delivered') ? 'message' : 'error');
        else expect(names, at).toEqual(expect.arrayContaining(form));
      }
    }
  });
});

test('a transaction is base64, and its signature base58, in every response that has one', async () => {
  const base58 = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;
  const { partner, user } = w.own;
  for (const [side, amount] of Object.entries({ buy: { usdc_amount: 100 }, sell: { gold_amount: 0.1 } })) {
    const quote = expectStatus(
      await partner.client.post(`/v1/${side}`, { service_user_id: user.id, ...amount }),
      200,
    ).body;
    const bytes = Buffer.from(quote.partially_signed_transaction, 'base64');
    expect(bytes.toString('base64')).toBe(quote.partially_signed_transaction);
    const signed_tx = Buffer.from(cosign(bytes, [partner.wallet, user.wallet])).toString('base64');
    const submit = partner.client.post(`/v1/${side}/${quote.trade_id}/submit`, { signed_tx });
    const { body } = expectStatus(await submit, 200);
    expect(Object.keys(body).sort()).toEqual(['trade_id', 'tx_hash']);
    expect(body).toEqual({ trade_id: quote.trade_id, tx_hash: expect.stringMatching(base58) });
    await eventually(async () => expect((await w.chain.landed(body.tx_hash)).meta.err).toBeNull(), 10_000);
  }
});

test('slippage_bps is 50 where none is given, and a floor replaces it', async () => {
  const floor = async (side: 'buy' | 'sell', name: string, body: object) => {
    const desired = { service_user_id: w.own.user.id, ...body };
    return expectStatus(await w.own.partner.client.post(`/v1/${side}`, desired), 200).body.quote[name];
  };
  const ofBuy = (body: object) => floor('buy', 'min_gold_out', { usdc_amount: 100, ...body });
  expect(await ofBuy({})).toBe(await ofBuy({ slippage_bps: 50 }));
  expect(await ofBuy({ slippage_bps: 0 })).toBe(0.024267);
  expect(await ofBuy({ slippage_bps: 10_000, min_gold_out: 0.02 })).toBe(0.02);
  const sale = { gold_amount: 0.5, slippage_bps: 10_000, min_usdc_out: 2_000 };
  expect(await floor('sell', 'min_usdc_out', sale)).toBe(2_000);
});

test('a sell is refused for the same reasons as a buy, with the same codes', async () => {
  const { service } = w;
  const { partner } = w.own;
  const noWallet = await service.givenPartner({ walletStatus: 'revoked' });
  const offChain = await service.givenPartner();
  const [poor, suspended, foreign, walletless, unset] = await Promise.all([
    service.givenUser(partner.partnerId, { kycLevel: 'basic' }),
    service.givenUser(partner.partnerId, { status: 'suspended' }),
    service.givenUser(offChain.partnerId),
    service.givenUser(noWallet.partnerId),
    service.givenUser(offChain.partnerId),
  ]);
  const cases: [string, number, string, typeof partner.client][] = [
    ['gu_unknown', 404, 'user_not_found', partner.client],
    [foreign.id, 403, 'partner_mismatch', partner.client],
    [poor.id, 400, 'kyc_level_insufficient', partner.client],
    [suspended.id, 403, 'user_suspended', partner.client],
    [walletless.id, 400, 'wallet_missing', noWallet.client],
    [unset.id, 400, 'onchain_config_missing', offChain.client],
    ['', 400, 'invalid_request', partner.client],
  ];
  for (const [user, status, error, client] of cases) {
    const buy = await client.post('/v1/buy', { service_user_id: user, usdc_amount: 10 });
    const sell = await client.post('/v1/sell', { service_user_id: user, gold_amount: 0.01 });
    expect([buy.status, buy.body.error], `a buy for ${user}`).toEqual([status, error]);
    expect([sell.status, sell.body], `a sell for ${user}`).toEqual([buy.status, buy.body]);
  }
});

describe('a list', () => {
  test('a list of redemptions leaves out why one was cancelled, the single record shows it', async () => {
    const { client } = w.own.partner;
    const id = await givenRedemption(w.service, w.own, { status: 'submitted' });
    const cancelled = await client.post(`/v1/redemptions/${id}/cancel`, { reason: 'moved away' });
    expect(cancelled.body).toEqual({ redemption_id: id, status: 'cancellation_requested' });
    const { body } = expectStatus(await client.get('/v1/redemptions'), 200);
    const [entry] = body.redemptions;
    const single = expectStatus(await client.get(`/v1/redemptions/${id}`), 200).body;
    expect(single).toEqual({ ...entry, cancellation_reason: 'moved away' });
    expect(Object.keys(entry)).not.toContain('cancellation_reason');
  });
});

test('the page of the tradebook API shows its document', async () => {
  const get = (url: string) => w.service.app.inject({ method: 'GET', url });
  const page = await get('/api/docs');
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).toContain('Karat tradebook API');
  expect((await get('/api/docs/json')).json()).toEqual(JSON.parse(JSON.stringify(tradebook.document)));
  const scripts = [...page.body.matchAll(/<script src="([^"]+)">/g)].map(([, script]) => script ?? '');
  expect(scripts).toHaveLength(2);
  for (const script of scripts) expect((await get(script)).statusCode).toBe(200);
});

/** Names of all members of a schema, at any depth; what is free-form has none. */
function namesOf(schema: JsonSchema): string[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const members = Object.entries(schema.properties ?? {});
  return [
    ...members.flatMap(([name, part]) => [name, ...namesOf(part)]),
    ...parts.flatMap((part) => namesOf(part)),
  ];
}
