import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/domain/ids.js';
import { type Answer, type Client, clientOf, newAddress, newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import {
  givenKey,
  givenVaultPartner,
  type Ordering,
  paths,
  type RoleClient,
  startOrdering,
  type VaultPartner,
} from '../../ordering.js';
import { expectStatus } from '../../trading.js';
import { idsOf, routesOf, withVariables } from '../routes.js';

/**
 * Whose things are whose on the tradebook API: every id that a route takes, in its path, query or body, given as the
 * caller's own, another partner's, an unknown one and a malformed one. The table is held to the routes that the
 * application registers: a new id without a row is red.
 */

type Role = 'executive' | 'update' | 'withdrawal';

let t: Ordering;
let own: VaultPartner;
let foreign: VaultPartner;
let routes: RouteOptions[];
beforeAll(async () => {
  t = await startOrdering();
  own = t.partner;
  const { partnerId } = await t.service.givenPartner({ name: 'Other Gold' });
  foreign = await givenVaultPartner(t.service, t.chain, partnerId);
  const { program } = t.service.ctx.chain;
  await eventually(() => expect(program.integrator(partnerId)).toBeDefined(), 10_000);
  routes = await routesOf(t.service.ctx, 'tradebook');
});
afterAll(() => t.stop());

interface Row {
  /** A fresh id of a partner's thing. */
  idOf(partner: VaultPartner): string | Promise<string>;
  role: Role;
  send(client: RoleClient, id: string): Promise<Answer>;
  own: number;
  foreign: [number, string];
  unknown: [number, string];
}

const anonymous = (): Client => clientOf(t.service.app, {}, { remoteAddress: newAddress() });
const path = (prefix: string, id: string, suffix = '') => `${prefix}/${encodeURIComponent(id)}${suffix}`;

const minted = new Map<string, string>();

const rows: Record<string, Row> = {
  'POST /api/auth/challenge body.partnerId': {
    idOf: ({ partnerId }) => partnerId,
    role: 'update',
    send: (client, partnerId) =>
      anonymous().post('/api/auth/challenge', {
        walletAddress: client.wallet.address,
        keyType: 'PARTNER',
        partnerId,
      }),
    own: 200,
    foreign: [404, 'wallet_not_found'],
    unknown: [404, 'wallet_not_found'],
  },
  'POST /api/auth/api-key body.challengeId': {
    async idOf({ partnerId, update }) {
      const wish = { walletAddress: update.wallet.address, keyType: 'PARTNER', partnerId };
      const { challengeId, message } = (await anonymous().post('/api/auth/challenge', wish)).body.data;
      minted.set(challengeId, message);
      return challengeId;
    },
    role: 'update',
    async send(client, challengeId) {
      const signature = client.wallet.sign(minted.get(challengeId) ?? 'nothing');
      const answer = await anonymous().post('/api/auth/api-key', { challengeId, signature, keyName: 'k' });
      if (answer.body.data) t.service.secrets.add(answer.body.data.apiKey);
      return answer;
    },
    own: 201,
    foreign: [400, 'invalid_signature'],
    unknown: [400, 'invalid_challenge'],
  },
  'POST /api/auth/api-keys/:keyId/revoke params.keyId': {
    async idOf({ partnerId, executive: { wallet } }) {
      const scope = 'PARTNER_EXECUTIVE_AUTHORITY';
      return (await givenKey(t.service, { partnerId, wallet, scope })).keyId;
    },
    role: 'update',
    send: (client, id) => client.post(path('/api/auth/api-keys', id, '/revoke')),
    own: 200,
    foreign: [404, 'key_not_found'],
    unknown: [404, 'key_not_found'],
  },
  'PUT /api/distribution/partner/:partnerId/executive-authority params.partnerId': {
    idOf: ({ partnerId }) => partnerId,
    role: 'update',
    send: (client, id) =>
      client.put(path('/api/distribution/partner', id, '/executive-authority'), {
        add: [newWallet().address],
      }),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'partner_not_found'],
  },
  'GET /api/trading/purchases/:purchaseId params.purchaseId': {
    async idOf({ executive }) {
      const body = { goldAmount: 1, maxUsdcAmount: 5_000 };
      return expectStatus(await executive.post(paths.purchases, body), 201).body.data.purchaseId;
    },
    role: 'executive',
    send: (client, id) => client.get(path('/api/trading/purchases', id)),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'purchase_not_found'],
  },
  'GET /api/trading/sales/:sellId params.sellId': {
    async idOf({ executive }) {
      const body = { goldAmount: 1, minimumUsdcAmount: 0 };
      return expectStatus(await executive.post(paths.sales, body), 201).body.data.sellId;
    },
    role: 'withdrawal',
    send: (client, id) => client.get(path('/api/trading/sales', id)),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'sale_not_found'],
  },
  'GET /api/trading/withdrawals/:withdrawalId params.withdrawalId': {
    async idOf({ withdrawal }) {
      const body = { amount: 1, tokenType: 'usdc' };
      return expectStatus(await withdrawal.post(paths.withdrawals, body), 201).body.data.withdrawalId;
    },
    role: 'withdrawal',
    send: (client, id) => client.get(path('/api/trading/withdrawals', id)),
    own: 200,
    foreign: [403, 'partner_mismatch'],
    unknown: [404, 'withdrawal_not_found'],
  },
};

/** A filter by an id: what is not the caller's own gives nothing. */
const filter = 'GET /api/auth/api-keys querystring.partnerId';

test('every id that a route takes is in the table', () => {
  const taken = idsOf(routes, /Id$/);
  expect(taken).toEqual([...Object.keys(rows), filter].sort());
  for (const route of withVariables(routes)) {
    expect(
      taken.some((id) => id.startsWith(`${route} params.`)),
      route,
    ).toBe(true);
  }
});

describe.each(Object.entries(rows))('%s', (name, row) => {
  const ask = (id: string) => row.send(own[row.role], id);
  const refusal = ({ status, body }: Answer) => [status, body.error?.code];

  test("another partner's is refused, and the other partner may still use it", async () => {
    const id = await row.idOf(foreign);
    const answer = await ask(id);
    expect(refusal(answer)).toEqual(row.foreign);
    for (const hidden of [foreign.vault, foreign.executive.wallet.address, 'Other Gold']) {
      expect(answer.text).not.toContain(hidden);
    }
    if (name !== 'POST /api/auth/challenge body.partnerId') {
      expect((await row.send(foreign[row.role], id)).status).toBe(row.own);
    }
  });

  test("the caller's own is taken", async () => {
    const answer = await ask(await row.idOf(own));
    expect(refusal(answer)).toEqual([row.own, undefined]);
  });

  test('an unknown and a malformed one are nobody’s', async () => {
    const known = await row.idOf(own);
    const [, prefix = ''] = /^([a-z]+_)?/.exec(known) ?? [];
    const bare = known.slice(prefix.length);
    const texts = [
      `${prefix}${newUuid()}`,
      'nonsense',
      `${known}0`,
      ` ${known}`,
      `${known}\0`,
      `trd_${bare}`,
    ];
    for (const id of [...texts, ...(prefix === '' ? [bare.replaceAll('-', '')] : [bare])]) {
      expect([id, ...refusal(await ask(id))]).toEqual([id, ...row.unknown]);
    }
  });
});

test('the keys of another partner are not listed, under its id neither', async () => {
  const keysOf = async (query: string, client: Client = own.update) =>
    expectStatus(await client.get(`/api/auth/api-keys${query}`), 200).body.data.apiKeys.map(
      ({ id }: { id: string }) => id,
    ) as string[];
  const [mine, theirs] = [await keysOf(''), await keysOf('', foreign.update)];
  expect(mine).toContain(own.update.keyId);
  expect(theirs).toContain(foreign.update.keyId);
  expect(mine.filter((id) => theirs.includes(id))).toEqual([]);
  expect(await keysOf(`?partnerId=${own.partnerId}`)).toEqual(await keysOf(''));
  for (const id of [foreign.partnerId, newUuid(), 'nonsense', '', '%00']) {
    expect(await keysOf(`?partnerId=${id}`)).toEqual([]);
  }
  expect(await keysOf(`?partnerId=${foreign.partnerId}`, t.admin)).toEqual(await keysOf('', foreign.update));
});

test('a partner is told of itself alone', async () => {
  const me = async (client: Client) =>
    expectStatus(await client.get('/api/distribution/partner/me'), 200).body.data;
  expect(await me(own.executive)).toMatchObject({
    partnerId: own.partnerId,
    centralVaultAddress: own.vault,
  });
  expect(await me(foreign.executive)).toMatchObject({ partnerId: foreign.partnerId, name: 'Other Gold' });
});
