import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertTrade } from '../../src/db/trades/trades.js';
import { newId, type TradeId, type UserId } from '../../src/domain/ids.js';
import { cosign } from '../chain/signed-trade.js';
import { type Answer, type Client, clientOf, type GivenPartner, newAddress } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { signatureNamed } from '../named-keys.js';
import { givenRedemption, seedDenominations, tola } from '../redeeming.js';
import { expectStatus, type GivenUser, givenUser, startTrading, type Trading } from '../trading.js';
import { idsOf, routesOf, withVariables } from './routes.js';

/**
 * Whose things are whose: every id that a route takes, in its path, query or body, given as the caller's own, another
 * partner's, an unknown one, a malformed one, and one of another kind. The table is held to the routes that the
 * application registers: a new id without a row is red.
 */

/** A partner with one of everything. */
interface Tenant {
  partner: GivenPartner;
  user: GivenUser;
  trade: TradeId;
  redemption: string;
}

let t: Trading;
let own: Tenant;
let foreign: Tenant;
let routes: RouteOptions[];
beforeAll(async () => {
  t = await startTrading();
  await seedDenominations(t.service);
  own = await tenant(t.partner, t.user);
  const other = await t.service.givenPartner();
  await t.chain.addPartner({ partnerId: other.partnerId, wallet: other.wallet.address });
  foreign = await tenant(other, await givenUser(t.service, t.chain, other));
  const quote = { service_user_id: foreign.user.id, usdc_amount: 10 };
  await eventually(async () => expectStatus(await other.client.post('/v1/buy', quote), 200), 10_000);
  routes = await routesOf(t.service.ctx, 'partner');
});
afterAll(() => t.stop());

async function tenant(partner: GivenPartner, user: GivenUser): Promise<Tenant> {
  await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 10_000_000n);
  const trade = newId('trd');
  const record = {
    id: trade,
    partnerId: partner.partnerId,
    userId: user.id,
    side: 'buy',
    status: 'confirmed',
    usdcAmount: 100_000_000n,
    goldAmount: 24_267n,
    pricePerTroyOz: '4100.12',
    feeBps: 50,
    feeUsdc: 500_000n,
    txSignature: signatureNamed(trade),
    slot: 7n,
    eventSeq: 1n,
    failureReason: null,
  } as const;
  await t.service.ctx.db.transaction((tx) => insertTrade(tx, record, new Date(t.chain.clock.now())));
  return { partner, user, trade, redemption: await givenRedemption(t.service, { partner, user }) };
}

interface Given {
  id: string;
  /** The tenant whose thing it is; the caller's own for an id that is nobody's. */
  of: Tenant;
}

interface Row {
  /** A fresh id of a tenant's thing. */
  idOf(tenant: Tenant): string | Promise<string>;
  send(client: Client, given: Given): Promise<Answer>;
  own: number;
  foreign: [number, string];
  unknown: [number, string];
  /** Default: as `unknown`. */
  malformed?: [number, string];
  /** An id of another kind. Default: as `malformed`. */
  wrongPrefix?: [number, string];
}

const redemptionBody = (userId: UserId | string) => ({
  service_user_id: userId,
  denomination_id: tola.id,
  city: tola.city,
});

/** Another partner's trade, quoted, signed by all of its own parties. */
const quotes = new Map<string, Uint8Array>();
async function quoteOf({ partner, user }: Tenant, side: 'buy' | 'sell'): Promise<string> {
  const amount = side === 'buy' ? { usdc_amount: 10 } : { gold_amount: 0.001 };
  const body = { service_user_id: user.id, ...amount };
  const answer = expectStatus(await partner.client.post(`/v1/${side}`, body), 200);
  const bytes = Buffer.from(answer.body.partially_signed_transaction, 'base64');
  quotes.set(answer.body.trade_id, cosign(bytes, [partner.wallet, user.wallet]));
  return answer.body.trade_id;
}

const submitTradeRow = (side: 'buy' | 'sell'): Row => ({
  idOf: (of) => quoteOf(of, side),
  async send(client, { id, of }) {
    const bytes = quotes.get(id) ?? quotes.get(await quoteOf(of, side)) ?? new Uint8Array();
    const signed_tx = Buffer.from(bytes).toString('base64');
    return client.post(`/v1/${side}/${encodeURIComponent(id)}/submit`, { signed_tx });
  },
  own: 200,
  // A quote is written down nowhere: it is its transaction that shows whose it is.
  foreign: [400, 'broadcast_failed'],
  unknown: [400, 'broadcast_failed'],
  malformed: [404, 'trade_not_found'],
});

async function redemptionQuoteOf({ partner, user }: Tenant): Promise<string> {
  const answer = expectStatus(await partner.client.post('/v1/redemptions', redemptionBody(user.id)), 201);
  const bytes = Buffer.from(answer.body.partially_signed_transaction, 'base64');
  quotes.set(answer.body.redemption_id, cosign(bytes, [user.wallet]));
  return answer.body.redemption_id;
}

const minted = new Map<string, { message: string; wallet: GivenPartner['wallet'] }>();
const anonymous = () => clientOf(t.service.app, {}, { remoteAddress: newAddress() });

const rows: Record<string, Row> = {
  'POST /v1/auth/challenge body.partner_id': {
    idOf: ({ partner }) => partner.partnerId,
    send: (_client, { id }) =>
      anonymous().post('/v1/auth/challenge', {
        wallet_address: own.partner.wallet.address,
        partner_id: id,
      }),
    own: 200,
    foreign: [404, 'wallet_not_found'],
    unknown: [404, 'wallet_not_found'],
  },
  'POST /v1/auth/api-key body.challenge_id': {
    async idOf({ partner }) {
      const { wallet, partnerId } = partner;
      const body = { wallet_address: wallet.address, partner_id: partnerId };
      const { challenge_id: id, message } = (await anonymous().post('/v1/auth/challenge', body)).body;
      minted.set(id, { message, wallet });
      return id;
    },
    async send(_client, { id }) {
      const signature = own.partner.wallet.sign(minted.get(id)?.message ?? 'nothing');
      const body = { challenge_id: id, signature, key_name: 'k' };
      const answer = await anonymous().post('/v1/auth/api-key', body);
      if (answer.body.api_key) t.service.secrets.add(answer.body.api_key);
      return answer;
    },
    own: 201,
    foreign: [400, 'invalid_signature'],
    unknown: [400, 'invalid_challenge'],
  },
  'POST /v1/partner/api-keys/:key_id/revoke params.key_id': {
    async idOf({ partner }) {
      return (await t.service.mintKey(partner)).answer.body.key_id;
    },
    send: (client, { id }) => client.post(`/v1/partner/api-keys/${encodeURIComponent(id)}/revoke`),
    own: 200,
    foreign: [404, 'key_not_found'],
    unknown: [404, 'key_not_found'],
  },
  'GET /v1/users/:service_user_id params.service_user_id': {
    idOf: ({ user }) => user.id,
    send: (client, { id }) => client.get(`/v1/users/${encodeURIComponent(id)}`),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'user_not_found'],
  },
  'POST /v1/buy body.service_user_id': {
    idOf: ({ user }) => user.id,
    send: (client, { id }) => client.post('/v1/buy', { service_user_id: id, usdc_amount: 10 }),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'user_not_found'],
  },
  'POST /v1/sell body.service_user_id': {
    idOf: ({ user }) => user.id,
    send: (client, { id }) => client.post('/v1/sell', { service_user_id: id, gold_amount: 0.01 }),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'user_not_found'],
  },
  'POST /v1/buy/:trade_id/submit params.trade_id': submitTradeRow('buy'),
  'POST /v1/sell/:trade_id/submit params.trade_id': submitTradeRow('sell'),
  'GET /v1/trades/:trade_id params.trade_id': {
    idOf: ({ trade }) => trade,
    send: (client, { id }) => client.get(`/v1/trades/${encodeURIComponent(id)}`),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'trade_not_found'],
  },
  'POST /v1/redemptions body.service_user_id': {
    idOf: ({ user }) => user.id,
    send: (client, { id }) => client.post('/v1/redemptions', redemptionBody(id)),
    own: 201,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'user_not_found'],
  },
  'POST /v1/redemptions/:redemption_id/submit params.redemption_id': {
    idOf: redemptionQuoteOf,
    async send(client, { id, of }) {
      const bytes = quotes.get(id) ?? quotes.get(await redemptionQuoteOf(of)) ?? new Uint8Array();
      const signed_tx = Buffer.from(bytes).toString('base64');
      return client.post(`/v1/redemptions/${encodeURIComponent(id)}/submit`, { signed_tx });
    },
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'redemption_not_found'],
  },
  'POST /v1/redemptions/:redemption_id/cancel params.redemption_id': {
    idOf: ({ partner, user }) => givenRedemption(t.service, { partner, user }),
    send: (client, { id }) => client.post(`/v1/redemptions/${encodeURIComponent(id)}/cancel`),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'redemption_not_found'],
  },
  'GET /v1/redemptions/:redemption_id params.redemption_id': {
    idOf: ({ redemption }) => redemption,
    send: (client, { id }) => client.get(`/v1/redemptions/${encodeURIComponent(id)}`),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'redemption_not_found'],
  },
};

/** Filters of lists by an id: what is not the caller's own gives nothing. */
const filters: Record<string, (id: string) => string> = {
  'GET /v1/trades querystring.service_user_id': (id) => `/v1/trades?service_user_id=${id}`,
  'GET /v1/redemptions querystring.service_user_id': (id) => `/v1/redemptions?service_user_id=${id}`,
};

/** Names that look like ids of something that belongs to a partner, and are none. */
const noIds = new Set([
  // The partner's own name of a user, apart for each partner.
  'POST /v1/users body.user_id',
  'GET /v1/users querystring.user_id',
  // The catalogue is everybody's.
  'POST /v1/redemptions body.denomination_id',
]);

test('every id that a route takes is in the table', () => {
  const taken = idsOf(routes, /(^|_)id$/i);
  expect(taken.filter((id) => !noIds.has(id))).toEqual(
    [...Object.keys(rows), ...Object.keys(filters)].sort(),
  );
  for (const path of withVariables(routes)) {
    expect(
      taken.some((id) => id.startsWith(`${path} params.`)),
      path,
    ).toBe(true);
  }
});

const uuid = '01890000-0000-7000-8000-000000000000';

describe.each(Object.entries(rows))('%s', (_name, row) => {
  const ask = (given: Given) => row.send(own.partner.client, given);
  const expectRefusal = (answer: Answer, [status, error]: [number, string]) =>
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });

  test("another partner's is refused, and the other partner may still use it", async () => {
    const given = { id: await row.idOf(foreign), of: foreign };
    const answer = await ask(given);
    expectRefusal(answer, row.foreign);
    expect(answer.text).not.toContain(foreign.partner.partnerId);
    expect(answer.text).not.toContain(foreign.user.wallet.address);
    if (!_name.includes('/v1/auth/')) {
      expect((await row.send(foreign.partner.client, given)).status).toBe(row.own);
    }
  });

  test("the caller's own is taken", async () => {
    const answer = await ask({ id: await row.idOf(own), of: own });
    expect([answer.status, answer.body.error]).toEqual([row.own, undefined]);
  });

  test('an unknown, a malformed one and one of another kind are nobody’s', async () => {
    const known = await row.idOf(own);
    const [, prefix = ''] = /^([a-z]+_)?/.exec(known) ?? [];
    const kind = prefix === 'trd_' ? 'red_' : 'trd_';
    expectRefusal(await ask({ id: prefix + uuid, of: own }), row.unknown);
    const malformed = row.malformed ?? row.unknown;
    const bare = known.slice(prefix.length);
    for (const id of [
      'nonsense',
      `${prefix}nonsense`,
      `${known}0`,
      ` ${known}`,
      `${known}\0`,
      ...(prefix === '' ? [] : [bare, `${prefix}${bare.toUpperCase()}`]),
    ]) {
      // Digits alone have no capitals.
      if (id === known) continue;
      expectRefusal(await ask({ id, of: own }), malformed);
    }
    expectRefusal(await ask({ id: kind + bare, of: own }), row.wrongPrefix ?? malformed);
  });
});

test.each(Object.entries(filters))('%s shows nothing of others', async (_name, path) => {
  const rowsOf = async (id: string) => {
    const answer = expectStatus(await own.partner.client.get(path(encodeURIComponent(id))), 200);
    return Object.values(answer.body).find((value) => Array.isArray(value)) as unknown[];
  };
  expect((await rowsOf(own.user.id)).length).toBeGreaterThan(0);
  for (const id of [foreign.user.id, `gu_${uuid}`, 'nonsense', `trd_${uuid}`, '']) {
    expect(await rowsOf(id)).toEqual([]);
  }
});

test("no list ever shows another partner's rows", async () => {
  const lists = routes.filter(
    ({ method, url, config }) => method === 'GET' && config?.auth === 'partner' && !url.includes(':'),
  );
  expect(lists.map(({ url }) => url).sort()).toEqual([
    '/v1/denominations',
    '/v1/partner/api-keys',
    '/v1/redemptions',
    '/v1/trades',
    '/v1/users',
  ]);
  const marks = ({ partner, user, trade, redemption }: Tenant) => ({
    '/v1/denominations': undefined,
    '/v1/partner/api-keys': partner.keyId,
    '/v1/redemptions': redemption,
    '/v1/trades': trade,
    '/v1/users': user.id,
  });
  for (const { url } of lists) {
    const path = `${url}${url === '/v1/denominations' ? '?country=PK' : ''}`;
    for (const [caller, other] of [
      [own, foreign],
      [foreign, own],
    ] as const) {
      const { text } = expectStatus(await caller.partner.client.get(path), 200);
      const mark = marks(caller)[url as keyof ReturnType<typeof marks>];
      if (mark !== undefined) expect(text).toContain(mark);
      for (const hidden of [
        ...Object.values(marks(other)),
        other.user.wallet.address,
        other.partner.partnerId,
      ]) {
        if (hidden !== undefined) expect(text).not.toContain(hidden);
      }
    }
  }
});
