import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appendEvents } from '../../../src/db/events/events.js';
import { noFailure } from '../../../src/db/failure.js';
import { asWritten, insertTrades } from '../../../src/db/trades/trades.js';
import { newId } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { monthOf } from '../../../src/domain/papers/month.js';
import { tradeEvent } from '../../../src/events/partner-events.js';
import { cosign } from '../../chain/signed-trade.js';
import { type ApiResponse, type Client, expectStatus, newWallet } from '../../harness.js';
import { givenKey } from '../../karat.js';
import { signatureNamed } from '../../named-keys.js';
import { base64, paths } from '../../ordering.js';
import { givenRedemption, tola } from '../../redeeming.js';
import { idsOf, routesOf, withVariables } from '../routes.js';
import { partner, type Surface, tradebook } from './surfaces.js';
import { type Tenant as Caller, keySteps, startWorld, type World } from './world.js';

/**
 * Whose things are whose: every id that a route takes, in its path, query or body, given as the caller's own, another
 * partner's, an unknown one, a malformed one, and one of another kind. The tables are held to the routes that the
 * application registers: a new id without a row is red.
 */

/** A partner with one of everything. */
interface Tenant extends Caller {
  trade: string;
  redemption: string;
  endpoint: string;
}

let w: World;
let own: Tenant;
let foreign: Tenant;
beforeAll(async () => {
  w = await startWorld({ config: { webhooksAllowLocal: true } });
  own = await withRecords(w.own);
  foreign = await withRecords(await w.givenTenant('Other Gold'));
});
afterAll(() => w?.stop());

async function withRecords(tenant: Caller): Promise<Tenant> {
  const trade = newId('trd');
  const record = {
    id: trade,
    partnerId: tenant.partner.partnerId,
    userId: tenant.user.id,
    side: 'buy',
    status: 'confirmed',
    usdcAmount: usdcUnits(100_000_000n),
    goldAmount: goldUnits(24_267n),
    pricePerTroyOz: '4100.12',
    feeBps: 50,
    feeUsdc: usdcUnits(500_000n),
    txSignature: signatureNamed(trade),
    slot: 7n,
    eventSeq: 1n,
    ...noFailure,
  } as const;
  const at = new Date(w.chain.clock.now());
  await w.service.ctx.db.transaction(async (tx) => {
    await insertTrades(tx, [record], at);
    await appendEvents(tx, [tradeEvent('trade.confirmed', asWritten(record, at))], at);
  });
  const redemption = await givenRedemption(w.service, tenant);
  expectStatus(
    await tenant.vault.executive.post(paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 }),
    201,
  );
  return { ...tenant, trade, redemption, endpoint: await endpointOf(tenant) };
}

/** Registers a webhook endpoint at which nothing listens. */
async function endpointOf({ partner }: Caller): Promise<string> {
  const { body } = expectStatus(
    await partner.client.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:1024/' }),
    201,
  );
  return body.endpoint_id;
}

type Refused = [status: number, code: string];

interface Row {
  /** A fresh id of a tenant's thing. */
  idOf(tenant: Tenant): string | Promise<string>;
  /** Sends an id as a tenant; `of` is whose thing it is, the caller's own for an id that does not exist. */
  send(caller: Tenant, id: string, of: Tenant): Promise<ApiResponse>;
  /** A status, or what refuses it for another reason than its owner. */
  own: number | Refused;
  foreign: Refused;
  unknown: Refused;
  /** Default: as `unknown`. */
  malformed?: Refused;
}

const row = (
  idOf: Row['idOf'],
  send: Row['send'],
  [own, foreign, unknown, malformed]: [number | Refused, Refused, Refused, Refused?],
): Row => ({ idOf, send, own, foreign, unknown, ...(malformed ? { malformed } : {}) });
const mismatch: Refused = [403, 'partner_mismatch'];
const notFound = (kind: string): Refused => [404, `${kind}_not_found`];

/** A path with an id in it. */
const at = (prefix: string, id: string, suffix = '') => `${prefix}/${encodeURIComponent(id)}${suffix}`;

/** The rows of both steps to a key. */
const keyRows = (
  surface: keyof typeof keySteps,
  partnerId: string,
  challengeId: string,
): Record<string, Row> => {
  const { challengePath, keyPath, walletOf, desired } = keySteps[surface];
  const messages = new Map<string, string>();
  return {
    [`POST ${challengePath} body.${partnerId}`]: row(
      (of) => of.partner.partnerId,
      (caller, id) => w.anonymous().post(challengePath, desired(walletOf(caller).address, id)),
      [200, notFound('wallet'), notFound('wallet')],
    ),
    [`POST ${keyPath} body.${challengeId}`]: row(
      async (of) => {
        const { id, message } = await w.challenge(surface, of);
        messages.set(id, message);
        return id;
      },
      (caller, id) => w.mint(surface, id, walletOf(caller).sign(messages.get(id) ?? 'nothing')),
      [201, [400, 'invalid_signature'], [400, 'invalid_challenge']],
    ),
  };
};

/** Transactions of quotes, signed by all of their own parties. */
const quotes = new Map<string, string>();

function submitTradeRow(side: 'buy' | 'sell'): Row {
  const quoteOf = async ({ partner, user }: Tenant) => {
    const amount = side === 'buy' ? { usdc_amount: 10 } : { gold_amount: 0.001 };
    const { body } = expectStatus(
      await partner.client.post(`/v1/${side}`, { service_user_id: user.id, ...amount }),
      200,
    );
    const bytes = Buffer.from(body.partially_signed_transaction, 'base64');
    quotes.set(body.trade_id, base64(cosign(bytes, [partner.wallet, user.wallet])));
    return body.trade_id as string;
  };
  const send: Row['send'] = async ({ partner }, id, of) => {
    const signed_tx = quotes.get(id) ?? quotes.get(await quoteOf(of));
    return partner.client.post(at(`/v1/${side}`, id, '/submit'), { signed_tx });
  };
  // A quote is written down nowhere: its transaction shows whose it is, and that an id is not its own.
  return row(quoteOf, send, [200, mismatch, notFound('trade'), notFound('trade')]);
}

const redemptionBody = (userId: string) => ({
  service_user_id: userId,
  denomination_id: tola.id,
  city: tola.city,
});

async function redemptionQuoteOf({ partner, user }: Tenant): Promise<string> {
  const { body } = expectStatus(await partner.client.post('/v1/redemptions', redemptionBody(user.id)), 201);
  const bytes = Buffer.from(body.partially_signed_transaction, 'base64');
  quotes.set(body.redemption_id, base64(cosign(bytes, [user.wallet])));
  return body.redemption_id;
}

const userRow = (status: number, send: (client: Client, id: string) => Promise<ApiResponse>) =>
  row(
    ({ user }) => user.id,
    ({ partner }, id) => send(partner.client, id),
    [status, mismatch, notFound('user')],
  );

const endpointRow = (
  status: number,
  send: (tenant: Tenant, id: string) => Promise<ApiResponse>,
  idOf: Row['idOf'] = ({ endpoint }) => endpoint,
) => row(idOf, send, [status, mismatch, notFound('endpoint')]);
const hooks = '/v1/webhook-endpoints';
const eventOf = async ({ partner }: Tenant): Promise<string> =>
  expectStatus(await partner.client.get('/v1/events?limit=1'), 200).body.events[0].id;
const noEvent: Refused = [400, 'invalid_request'];
async function deliveryOf(tenant: Tenant): Promise<string> {
  const { client } = tenant.partner;
  const path = `${hooks}/${tenant.endpoint}`;
  expectStatus(await client.post(`${path}/resend`, { event_id: await eventOf(tenant) }), 202);
  return expectStatus(await client.get(`${path}/deliveries`), 200).body.deliveries[0].delivery_id;
}

const endpointRows: Record<string, Row> = {
  [`GET ${hooks}/:endpoint_id params.endpoint_id`]: endpointRow(200, ({ partner }, id) =>
    partner.client.get(at(hooks, id)),
  ),
  [`PATCH ${hooks}/:endpoint_id params.endpoint_id`]: endpointRow(200, ({ partner }, id) =>
    partner.client.send({
      method: 'PATCH',
      url: at(hooks, id),
      payload: { description: 'mine' },
      headers: { 'content-type': 'application/json' },
    }),
  ),
  [`DELETE ${hooks}/:endpoint_id params.endpoint_id`]: endpointRow(
    200,
    ({ partner }, id) => partner.client.send({ method: 'DELETE', url: at(hooks, id) }),
    endpointOf,
  ),
  [`POST ${hooks}/:endpoint_id/rotate-secret params.endpoint_id`]: endpointRow(200, ({ partner }, id) =>
    partner.client.post(at(hooks, id, '/rotate-secret'), { overlap_hours: 1 }),
  ),
  [`POST ${hooks}/:endpoint_id/test params.endpoint_id`]: endpointRow(200, ({ partner }, id) =>
    partner.client.post(at(hooks, id, '/test')),
  ),
  [`GET ${hooks}/:endpoint_id/deliveries params.endpoint_id`]: endpointRow(200, ({ partner }, id) =>
    partner.client.get(at(hooks, id, '/deliveries')),
  ),
  [`GET ${hooks}/:endpoint_id/deliveries/:delivery_id params.endpoint_id`]: endpointRow(
    200,
    async (tenant, id) => tenant.partner.client.get(at(hooks, id, `/deliveries/${await deliveryOf(tenant)}`)),
  ),
  [`GET ${hooks}/:endpoint_id/deliveries/:delivery_id params.delivery_id`]: row(
    deliveryOf,
    ({ partner, endpoint }, id) => partner.client.get(at(`${hooks}/${endpoint}/deliveries`, id)),
    [200, [404, 'not_found'], [404, 'not_found']],
  ),
  [`POST ${hooks}/:endpoint_id/resend params.endpoint_id`]: endpointRow(202, async (tenant, id) =>
    tenant.partner.client.post(at(hooks, id, '/resend'), { event_id: await eventOf(tenant) }),
  ),
  [`POST ${hooks}/:endpoint_id/resend body.event_id`]: row(
    eventOf,
    ({ partner, endpoint }, id) => partner.client.post(at(hooks, endpoint, '/resend'), { event_id: id }),
    [202, noEvent, noEvent],
  ),
};

/** The id under which a request of a partner is logged, which failed. */
async function requestOf({ partner }: Tenant): Promise<string> {
  expectStatus(await partner.client.post('/v1/users', {}), 400);
  return expectStatus(await partner.client.get('/v1/requests?limit=1'), 200).body.requests[0].request_id;
}

const partnerRows: Record<string, Row> = {
  ...endpointRows,
  ...keyRows('partner', 'partner_id', 'challenge_id'),
  'POST /v1/partner/api-keys/:key_id/revoke params.key_id': row(
    async ({ partner }) => (await w.service.mintKey(partner)).response.body.key_id,
    ({ partner }, id) => partner.client.post(at('/v1/partner/api-keys', id, '/revoke')),
    [200, notFound('key'), notFound('key')],
  ),
  'GET /v1/users/:service_user_id params.service_user_id': userRow(200, (client, id) =>
    client.get(at('/v1/users', id)),
  ),
  'GET /v1/users/:service_user_id/balances params.service_user_id': userRow(200, (client, id) =>
    client.get(at('/v1/users', id, '/balances')),
  ),
  'POST /v1/buy body.service_user_id': userRow(200, (client, id) =>
    client.post('/v1/buy', { service_user_id: id, usdc_amount: 10 }),
  ),
  'POST /v1/sell body.service_user_id': userRow(200, (client, id) =>
    client.post('/v1/sell', { service_user_id: id, gold_amount: 0.01 }),
  ),
  'POST /v1/buy/:trade_id/submit params.trade_id': submitTradeRow('buy'),
  'POST /v1/sell/:trade_id/submit params.trade_id': submitTradeRow('sell'),
  'GET /v1/trades/:trade_id params.trade_id': row(
    ({ trade }) => trade,
    ({ partner }, id) => partner.client.get(at('/v1/trades', id)),
    [200, mismatch, notFound('trade')],
  ),
  // None of theirs is final, or handed over.
  'GET /v1/trades/:trade_id/receipt params.trade_id': row(
    ({ trade }) => trade,
    ({ partner }, id) => partner.client.get(at('/v1/trades', id, '/receipt')),
    [[409, 'receipt_not_ready'], mismatch, notFound('trade')],
  ),
  'GET /v1/redemptions/:redemption_id/receipt params.redemption_id': row(
    ({ redemption }) => redemption,
    ({ partner }, id) => partner.client.get(at('/v1/redemptions', id, '/receipt')),
    [[409, 'receipt_not_ready'], mismatch, notFound('redemption')],
  ),
  'GET /v1/operations/:operation_id params.operation_id': row(
    ({ trade }) => trade,
    async ({ partner }, id) => {
      const response = await partner.client.get(at('/v1/operations', id));
      // An id that does not exist is reported as unknown.
      if (response.status !== 200 || response.body.status !== 'unknown') return response;
      return { ...response, status: 404, body: { error: 'trade_not_found', message: 'unknown' } };
    },
    [200, mismatch, notFound('trade')],
  ),
  'GET /v1/requests/:request_id params.request_id': row(
    requestOf,
    ({ partner }, id) => partner.client.get(at('/v1/requests', id)),
    [200, mismatch, notFound('request')],
  ),
  'POST /v1/redemptions body.service_user_id': userRow(201, (client, id) =>
    client.post('/v1/redemptions', redemptionBody(id)),
  ),
  'POST /v1/redemptions/:redemption_id/submit params.redemption_id': row(
    redemptionQuoteOf,
    async ({ partner }, id, of) => {
      const signed_tx = quotes.get(id) ?? quotes.get(await redemptionQuoteOf(of));
      return partner.client.post(at('/v1/redemptions', id, '/submit'), { signed_tx });
    },
    [200, mismatch, notFound('redemption')],
  ),
  'POST /v1/redemptions/:redemption_id/cancel params.redemption_id': row(
    (of) => givenRedemption(w.service, of),
    ({ partner }, id) => partner.client.post(at('/v1/redemptions', id, '/cancel')),
    [200, mismatch, notFound('redemption')],
  ),
  'GET /v1/redemptions/:redemption_id params.redemption_id': row(
    ({ redemption }) => redemption,
    ({ partner }, id) => partner.client.get(at('/v1/redemptions', id)),
    [200, mismatch, notFound('redemption')],
  ),
};

/** Reads an order of a role by the id that its creation returned. */
const orderRow = (
  by: 'executive' | 'withdrawal',
  [path, body]: [string, object],
  name: string,
  [reader, place]: ['executive' | 'withdrawal', string],
  kind: string,
) =>
  row(
    async ({ vault }) => expectStatus(await vault[by].post(path, body), 201).body.data[name],
    ({ vault }, id) => vault[reader].get(at(`/api/trading/${place}`, id)),
    [200, mismatch, notFound(kind)],
  );

const tradebookRows: Record<string, Row> = {
  ...keyRows('tradebook', 'partnerId', 'challengeId'),
  'POST /api/auth/api-keys/:keyId/revoke params.keyId': row(
    async ({ vault: { partnerId, executive } }) => {
      const scope = 'PARTNER_EXECUTIVE_AUTHORITY';
      return (await givenKey(w.service, { partnerId, wallet: executive.wallet, scope })).keyId;
    },
    ({ vault }, id) => vault.update.post(at('/api/auth/api-keys', id, '/revoke')),
    [200, notFound('key'), notFound('key')],
  ),
  'PUT /api/distribution/partner/:partnerId/executive-authority params.partnerId': row(
    ({ partner }) => partner.partnerId,
    ({ vault }, id) =>
      vault.update.put(at('/api/distribution/partner', id, '/executive-authority'), {
        add: [newWallet().address],
      }),
    [200, mismatch, notFound('partner')],
  ),
  'GET /api/trading/purchases/:purchaseId params.purchaseId': orderRow(
    'executive',
    [paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 }],
    'purchaseId',
    ['executive', 'purchases'],
    'purchase',
  ),
  'GET /api/trading/sales/:sellId params.sellId': orderRow(
    'executive',
    [paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 }],
    'sellId',
    ['withdrawal', 'sales'],
    'sale',
  ),
  'GET /api/trading/withdrawals/:withdrawalId params.withdrawalId': orderRow(
    'withdrawal',
    [paths.withdrawals, { amount: 1, tokenType: 'usdc' }],
    'withdrawalId',
    ['withdrawal', 'withdrawals'],
    'withdrawal',
  ),
};

const uuid = '01890000-0000-7000-8000-000000000000';

interface Table {
  name: 'partner' | 'tradebook';
  surface: Surface;
  rows: Record<string, Row>;
  /** Filters of lists by an id: what is not the caller's own gives nothing. */
  filters: string[];
  /** Names that look like ids of something that belongs to a partner, and are none. */
  noIds: string[];
}

const tables: Table[] = [
  {
    surface: partner,
    name: 'partner',
    rows: partnerRows,
    filters: [
      'GET /v1/trades querystring.service_user_id',
      'GET /v1/redemptions querystring.service_user_id',
      'GET /v1/events querystring.object_id',
      `GET ${hooks}/:endpoint_id/deliveries querystring.event_id`,
      'GET /v1/requests querystring.key_id',
      'GET /v1/requests querystring.object_id',
      'GET /v1/users querystring.service_user_id',
    ],
    noIds: [
      // What only members in a session do: "portal.test.ts" tries those of another partner.
      'DELETE /v1/members/:member_id params.member_id',
      'PATCH /v1/members/:member_id params.member_id',
      'DELETE /v1/members/invitations/:invitation_id params.invitation_id',
      'PATCH /v1/session/passkeys/:passkey_id params.passkey_id',
      'POST /v1/session/passkeys/:passkey_id/remove params.passkey_id',
      'POST /v1/session body.challenge_id',
      'POST /v1/session/challenge body.partner_id',
      'POST /v1/session/confirm body.challenge_id',
      // The partner's own name of a user, apart for each partner.
      'POST /v1/users body.user_id',
      'GET /v1/users querystring.user_id',
      'GET /v1/trades querystring.user_id',
      'GET /v1/redemptions querystring.user_id',
      // The catalogue is everybody's.
      'POST /v1/redemptions body.denomination_id',
      // Reports and statements of the reserves are public.
      'GET /v1/reserves/reports/:report_hash params.report_hash',
      'GET /v1/reserves/statements/:statement_id params.statement_id',
      'GET /v1/reserves/statements/:statement_id/bars params.statement_id',
      'GET /v1/reserves/statements/:statement_id/proof params.statement_id',
    ],
  },
  {
    surface: tradebook,
    name: 'tradebook',
    rows: tradebookRows,
    filters: ['GET /api/auth/api-keys querystring.partnerId'],
    noIds: [],
  },
];

describe.each(tables)('$name', ({ surface, name, rows, filters, noIds }) => {
  let routes: RouteOptions[];
  beforeAll(async () => {
    // A preflight looks at no id.
    routes = (await routesOf(w.service.ctx, name)).filter(({ method }) => method !== 'OPTIONS');
  });

  test('every id that a route takes is in the table', () => {
    const taken = idsOf(routes, /(^|_)(id|hash)$|Id$/);
    expect(taken.toSorted()).toEqual([...Object.keys(rows), ...filters, ...noIds].sort());
    // Pages, such as those of the error codes, have variables that are no ids.
    for (const path of withVariables(routes.filter(({ schema }) => !schema?.hide))) {
      const named = taken.some((id) => id.startsWith(`${path} params.`));
      expect(named, path).toBe(true);
    }
  });

  describe.each(Object.entries(rows))('%s', (_name, row) => {
    const refusal = (response: ApiResponse) => [response.status, surface.refusalOf(response)?.code];

    test("another partner's id is refused, and the other partner may still use it", async () => {
      const id = await row.idOf(foreign);
      const response = await row.send(own, id, foreign);
      expect(refusal(response)).toEqual(row.foreign);
      const { partner, user, vault } = foreign;
      const secrets = [partner.partnerId, user.wallet.address, vault.vault, vault.executive.wallet.address];
      for (const hidden of [...secrets, 'Other Gold']) expect(response.text).not.toContain(hidden);
      expect(refusal(await row.send(foreign, id, foreign))).toEqual(
        typeof row.own === 'number' ? [row.own, undefined] : row.own,
      );
    });

    test("the caller's own is taken", async () => {
      expect(refusal(await row.send(own, await row.idOf(own), own))).toEqual(
        typeof row.own === 'number' ? [row.own, undefined] : row.own,
      );
    });

    test('an unknown id, a malformed one and one of another kind have no owner', async () => {
      const known = await row.idOf(own);
      const [, prefix = ''] = /^([a-z]+_)?/.exec(known) ?? [];
      const bare = known.slice(prefix.length);
      const kind = prefix === 'trd_' ? 'red_' : 'trd_';
      const malformed = [
        'nonsense',
        `${prefix}nonsense`,
        `${known}0`,
        ` ${known}`,
        `${known}\0`,
        kind + bare,
      ];
      const further = prefix === '' ? [bare.replaceAll('-', '')] : [bare];
      expect(refusal(await row.send(own, prefix + uuid, own))).toEqual(row.unknown);
      for (const id of [...malformed, ...further]) {
        const response = await row.send(own, id, own);
        expect([id, ...refusal(response)]).toEqual([id, ...(row.malformed ?? row.unknown)]);
      }
    });
  });
});

test.each(['/v1/trades', '/v1/redemptions', '/v1/users'])(
  '%s?service_user_id= shows nothing of others',
  async (path) => {
    const rowsOf = async (id: string) => {
      const url = `${path}?service_user_id=${encodeURIComponent(id)}`;
      const { body } = expectStatus(await own.partner.client.get(url), 200);
      return Object.values(body).find((value) => Array.isArray(value)) as unknown[];
    };
    expect((await rowsOf(own.user.id)).length).toBeGreaterThan(0);
    for (const id of [foreign.user.id, `gu_${uuid}`, 'nonsense', `trd_${uuid}`, '']) {
      expect(await rowsOf(id)).toEqual([]);
    }
  },
);

test("no list ever shows another partner's rows", async () => {
  const lists = (await routesOf(w.service.ctx, 'partner')).filter(
    ({ method, url, config }) =>
      method === 'GET' &&
      config?.auth === 'partner' &&
      !url.includes(':') &&
      url !== '/v1/events/stream' &&
      // For sessions alone.
      !/^\/v1\/(session|members)(\/|$)/.test(url),
  );
  const marksOf = ({
    partner,
    user,
    trade,
    redemption,
    endpoint,
    vault,
  }: Tenant): Record<string, string | undefined> => ({
    '/v1/countries': undefined,
    '/v1/denominations': undefined,
    '/v1/events': trade,
    '/v1/limits': undefined,
    '/v1/me': partner.partnerId,
    '/v1/orders': vault.executive.wallet.address,
    '/v1/partner/api-keys': partner.keyId,
    '/v1/price': undefined,
    '/v1/price/history': undefined,
    '/v1/redemptions': redemption,
    '/v1/requests': partner.keyId,
    '/v1/statements': partner.partnerId,
    '/v1/trades': trade,
    '/v1/users': user.id,
    '/v1/vault': vault.vault,
    '/v1/webhook-endpoints': endpoint,
  });
  const month = monthOf(new Date(w.chain.clock.now()));
  const queries: Record<string, string> = {
    '/v1/denominations': '?country=PK',
    '/v1/statements': `?month=${month}`,
  };
  expect(lists.map(({ url }) => url).sort()).toEqual(Object.keys(marksOf(own)));
  for (const { url } of lists) {
    const path = `${url}${queries[url] ?? ''}`;
    for (const [caller, other] of [
      [own, foreign],
      [foreign, own],
    ] as const) {
      const { text } = expectStatus(await caller.partner.client.get(path), 200);
      const mark = marksOf(caller)[url];
      if (mark !== undefined) expect(text).toContain(mark);
      const { partner, user } = other;
      const all = [...Object.values(marksOf(other)), user.wallet.address, partner.partnerId];
      // The log of requests has the ids that the caller itself has sent, whosever they are.
      for (const hidden of url === '/v1/requests' ? [partner.keyId] : all) {
        if (hidden !== undefined) expect(text).not.toContain(hidden);
      }
    }
  }
});

test('the keys of another partner are not listed, under its id neither', async () => {
  const keysOf = async (query: string, client: Client = own.vault.update) =>
    expectStatus(await client.get(`/api/auth/api-keys${query}`), 200).body.data.apiKeys.map(
      ({ id }: { id: string }) => id,
    ) as string[];
  const [mine, theirs] = [await keysOf(''), await keysOf('', foreign.vault.update)];
  expect(mine).toContain(own.vault.update.keyId);
  expect(theirs).toContain(foreign.vault.update.keyId);
  expect(mine.filter((id) => theirs.includes(id))).toEqual([]);
  expect(await keysOf(`?partnerId=${own.vault.partnerId}`)).toEqual(mine);
  for (const id of [foreign.vault.partnerId, uuid, 'nonsense', '', '%00']) {
    expect(await keysOf(`?partnerId=${id}`)).toEqual([]);
  }
  expect(await keysOf(`?partnerId=${foreign.vault.partnerId}`, w.admin)).toEqual(theirs);
});

test('a partner reads of itself alone', async () => {
  const me = async (client: Client) =>
    expectStatus(await client.get('/api/distribution/partner/me'), 200).body.data;
  const { partnerId, vault, executive } = own.vault;
  expect(await me(executive)).toMatchObject({ partnerId, centralVaultAddress: vault });
  expect(await me(foreign.vault.executive)).toMatchObject({
    partnerId: foreign.vault.partnerId,
    name: 'Other Gold',
  });
});
