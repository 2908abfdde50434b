import { getAddressEncoder } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BadField, type BadInputTable, describeBadInput } from '../../bad-input.js';
import { type Answer, clientOf, newAddress, newWallet } from '../../harness.js';
import { base64, type Ordering, ordered, paths, type RoleClient, startOrdering } from '../../ordering.js';

let t: Ordering;
let challenge: { challengeId: string; message: string };
/** Of an order, signed; base64. */
let transaction: string;
beforeAll(async () => {
  t = await startOrdering();
  const wish = {
    walletAddress: t.partner.update.wallet.address,
    keyType: 'PARTNER',
    partnerId: t.partner.partnerId,
  };
  challenge = (await anonymous().post('/api/auth/challenge', wish)).body.data;
  transaction = await ordering();
});
afterAll(() => t.stop());

async function ordering(): Promise<string> {
  const body = { amount: 1, tokenType: 'usdc' };
  return base64((await ordered(t.partner.withdrawal, paths.withdrawals, body)).signed);
}

const anonymous = () => clientOf(t.service.app, {}, { remoteAddress: newAddress() });

type Send = (json: string) => Promise<Answer>;
const openly =
  (path: string): Send =>
  (json) =>
    anonymous().post(path, json);
const as =
  (role: 'executive' | 'update' | 'withdrawal', path: string): Send =>
  (json) =>
    t.partner[role].post(path, json);

const table = (
  route: string,
  send: Send,
  good: () => Record<string, unknown>,
  fields: BadField[],
  more: Pick<BadInputTable, 'goodAtLast'> = {},
) => describeBadInput(route, { harness: () => t.service, send, good, fields, ...more });
const invalid = (field: string) => ({ status: 400, error: /^invalid_request$/, field });

const partnerOfChallenge = {
  path: 'partnerId',
  kind: 'reference',
  malformed: { status: 404, error: /^wallet_not_found$/ },
} as const;
table(
  'POST /api/auth/challenge',
  openly('/api/auth/challenge'),
  () => ({
    walletAddress: t.partner.update.wallet.address,
    keyType: 'PARTNER',
    partnerId: t.partner.partnerId,
  }),
  [
    {
      path: 'walletAddress',
      kind: 'reference',
      malformed: { status: 400, error: /^invalid_wallet$/, field: 'walletAddress' },
    },
    { path: 'keyType', kind: 'reference', malformed: invalid('keyType') },
    partnerOfChallenge,
  ],
);

table(
  'POST /api/auth/api-key',
  async (json) => {
    const answer = await openly('/api/auth/api-key')(json);
    if (answer.body.data) t.service.secrets.add(answer.body.data.apiKey);
    return answer;
  },
  () => ({
    challengeId: challenge.challengeId,
    signature: t.partner.update.wallet.sign(challenge.message),
    keyName: 'key',
    expirationDays: 365,
  }),
  [
    {
      path: 'challengeId',
      kind: 'reference',
      malformed: { status: 400, error: /^invalid_challenge$/ },
    },
    {
      path: 'signature',
      kind: 'reference',
      // "nonsense" is good base64 of 6 bytes, which are no signature.
      malformed: { status: 400, error: /^invalid_(signature|request)$/, field: 'signature' },
    },
    { path: 'keyName', kind: 'label', max: 100 },
    { path: 'expirationDays', kind: 'integer', min: 1, max: 365, optional: true },
  ],
);

const goldAmount = { path: 'goldAmount', kind: 'amount' } as const;
const metadata = { path: 'metadata', kind: 'object', optional: true } as const;
for (const path of ['/api/trading/estimate/buy', '/api/trading/estimate/sell']) {
  table(`POST ${path}`, as('executive', path), () => ({ goldAmount: 1 }), [goldAmount]);
}
table(
  `POST ${paths.purchases}`,
  as('executive', paths.purchases),
  () => ({ goldAmount: 1, maxUsdcAmount: 5_000, metadata: {} }),
  [goldAmount, { path: 'maxUsdcAmount', kind: 'amount' }, metadata],
);
table(
  `POST ${paths.sales}`,
  as('executive', paths.sales),
  () => ({ goldAmount: 1, minimumUsdcAmount: 4_000, metadata: {} }),
  [goldAmount, { path: 'minimumUsdcAmount', kind: 'amount', zero: true }, metadata],
);
table(
  `POST ${paths.withdrawals}`,
  as('withdrawal', paths.withdrawals),
  () => ({ amount: 1, tokenType: 'usdc', metadata: {} }),
  [
    { path: 'amount', kind: 'amount' },
    { path: 'tokenType', kind: 'reference', malformed: invalid('tokenType') },
    metadata,
  ],
);

const noWallet = { status: 400, error: /^invalid_wallet$/ };
table(
  'PUT /api/distribution/partner/{partnerId}/executive-authority',
  (json) => t.partner.update.put(paths.executives(t.partner.partnerId), json),
  () => ({ add: [newWallet().address] }),
  [
    { path: 'add', kind: 'list', malformed: noWallet },
    { path: 'remove', kind: 'list', optional: true, malformed: noWallet },
  ],
);

table(
  'POST /api/transactions/submit',
  openly('/api/transactions/submit'),
  () => ({ signedTransaction: transaction }),
  [
    {
      path: 'signedTransaction',
      kind: 'reference',
      // Good base64 may be no transaction.
      malformed: { status: 400, error: /^(invalid_request|broadcast_failed)$/ },
    },
  ],
  { goodAtLast: async () => ({ signedTransaction: await ordering() }) },
);
table(
  'POST /api/transactions/submit-batch',
  openly('/api/transactions/submit-batch'),
  () => ({ signedTransactions: [transaction] }),
  [{ path: 'signedTransactions', kind: 'list' }],
  { goodAtLast: async () => ({ signedTransactions: [await ordering()] }) },
);

describe('addresses that no executive can have', () => {
  const put = (body: object) => t.partner.update.put(paths.executives(t.partner.partnerId), body);
  const offCurve = () => t.partner.vault;
  const good = newWallet().address;

  test.each<[string, () => string]>([
    ['off the curve', offCurve],
    ['of 31 bytes', () => good.slice(0, -2)],
    ['of 33 bytes', () => `1${good}`],
    ['with letters that are not of base58', () => `0OIl${good.slice(4)}`],
    ['with a blank', () => `${good} `],
    ['in hex', () => Buffer.from(getAddressEncoder().encode(good)).toString('hex')],
    ['in base64', () => Buffer.from(getAddressEncoder().encode(good)).toString('base64')],
    ['of no key at all', () => '1'.repeat(32)],
  ])('%s are refused by place', async (_, text) => {
    const present = t.partner.executive.wallet.address;
    const lists = { add: [good, text()], remove: [present, text()] };
    for (const list of ['add', 'remove'] as const) {
      const wanted = { code: 'invalid_wallet', field: `${list}.1` };
      expect(await put({ [list]: lists[list] })).toMatchObject({
        status: 400,
        body: { success: false, error: wanted },
      });
    }
  });
});

test.each(['add', 'remove'] as const)(
  '1,350 addresses in %s are refused before one is looked at',
  async (list) => {
    // The first would be refused as `invalid_wallet` if it were looked at.
    const wallets = Array.from({ length: 1_350 }, () => '1'.repeat(44));
    const path = paths.executives(t.partner.partnerId);
    expect(await t.partner.update.put(path, { [list]: wallets })).toMatchObject({
      status: 400,
      body: {
        success: false,
        error: { code: 'invalid_request', field: list, message: `${list} must have at most 8 items.` },
      },
    });
  },
);

describe('a member that nobody asks for', () => {
  const bodies: [string, () => RoleClient, object, number][] = [
    [paths.purchases, () => t.partner.executive, { goldAmount: 1, maxUsdcAmount: 5_000 }, 201],
    [paths.sales, () => t.partner.executive, { goldAmount: 1, minimumUsdcAmount: 0 }, 201],
    [paths.withdrawals, () => t.partner.withdrawal, { amount: 1, tokenType: 'gold' }, 201],
    ['/api/trading/estimate/buy', () => t.partner.executive, { goldAmount: 1 }, 200],
  ];

  test.each(bodies)('of %s is ignored', async (path, client, body, status) => {
    const more = { ...body, partnerId: 'x', walletAddress: 1, status: 'confirmed', slippage_bps: null };
    const answer = await client().post(path, more);
    expect([answer.status, answer.text.includes('slippage')]).toEqual([status, false]);
  });

  test.each(['{"__proto__":{}}', '{"constructor":{"prototype":1}}', '{"a":{"__proto__":1}}'])(
    'but metadata of %s is refused',
    async (text) => {
      const answer = await t.partner.executive.post(
        paths.purchases,
        `{"goldAmount":1,"maxUsdcAmount":5000,"metadata":${text}}`,
      );
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    },
  );
});

describe('bad queries of the list of keys', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=x&cursor=y', 'cursor'],
    ['partnerId=a&partnerId=b', 'partnerId'],
  ])('%s is 400 that names it', async (query, field) => {
    expect(await t.partner.update.get(`/api/auth/api-keys?${query}`)).toMatchObject({
      status: 400,
      body: { success: false, error: { code: 'invalid_request', field } },
    });
  });
});
