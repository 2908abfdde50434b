import { getAddressEncoder } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cosign } from '../../chain/signed-trade.js';
import { type Client, expectStatus, newWallet } from '../../harness.js';
import type { RoleClient } from '../../karat.js';
import { base64, ordered, paths } from '../../ordering.js';
import { givenRedemption, tola } from '../../redeeming.js';
import {
  amount,
  type BadInputTable,
  describeBadInput,
  describeBadLists,
  integer,
  known,
  label,
  list,
  object,
  optional,
  reference,
  verbatim,
} from './bad-input.js';
import { partner, type Surface, tradebook } from './surfaces.js';
import { keySteps, startWorld, userBody, type World } from './world.js';

let w: World;
beforeAll(async () => {
  w = await startWorld();
});
afterAll(() => w?.stop());

const own = () => w.own.partner.client;
const role = (name: 'executive' | 'update' | 'withdrawal') => () => w.own.vault[name];
/** A table of a route whose path has no variables. */
function table(
  route: string,
  client: () => Client,
  good: BadInputTable['good'],
  fields: BadInputTable['fields'],
  conditional: string[] = [],
): BadInputTable {
  const path = route.slice('POST '.length);
  return { route, send: (json) => client().post(path, json), good, fields, conditional };
}
const anonymous = () => w.anonymous();
/** The tables of both steps to a key. */
function keyTables(
  name: keyof typeof keySteps,
  [first, second]: [string, string],
  [wallet, partnerId, challengeId, keyName]: [string, string, string, string],
  more: { challenge?: BadInputTable['fields']; key?: BadInputTable['fields'] } = {},
): BadInputTable[] {
  const { keyPath, walletOf, desired, proof } = keySteps[name];
  return [
    table(
      first,
      anonymous,
      () => desired(walletOf(w.own).address, w.own.partner.partnerId),
      [reference(wallet, 'invalid_wallet'), known(partnerId, 'wallet_not_found'), ...(more.challenge ?? [])],
      name === 'tradebook' ? [partnerId] : [],
    ),
    {
      route: second,
      async send(json) {
        const response = await w.anonymous().post(keyPath, json);
        const key = response.body.api_key ?? response.body.data?.apiKey;
        if (key) w.service.secrets.add(key);
        return response;
      },
      async good() {
        const { id, signature } = await w.challenge(name);
        return { ...proof(id, signature), ...(more.key ? { expirationDays: 365 } : {}) };
      },
      fields: [
        reference(challengeId, 'invalid_challenge', ''),
        // "nonsense" is 8 letters, hence good base64 of 6 bytes, which are no signature.
        reference('signature', /^invalid_(signature|request)$/),
        label(keyName, 100),
        ...(more.key ?? []),
      ],
    },
  ];
}

// "nonsense" is good base64 as well, of what is no transaction.
const transaction = (path: string) => reference(path, /^(invalid_request|broadcast_failed)$/, '');

/** Quotes a trade; `at` is where it is submitted then. */
const at: Record<string, string> = {};
function tradeTables(
  route: string,
  [paid, got, floor]: [string, string, string],
  good: number,
): BadInputTable[] {
  const path = route.slice('POST '.length);
  const body = () => ({ service_user_id: w.own.user.id, [paid]: good, slippage_bps: 50, [floor]: 0 });
  return [
    table(
      route,
      own,
      body,
      [
        known('service_user_id', 'user_not_found'),
        amount(paid),
        optional(amount(got)),
        optional(integer('slippage_bps', 0, 10_000)),
        optional(amount(floor, true)),
      ],
      [paid],
    ),
    {
      route: `${route}/{trade_id}/submit`,
      send: (json) => own().post(at[route] ?? '', json),
      async good() {
        const quote = expectStatus(await own().post(path, body()), 200).body;
        at[route] = `${path}/${quote.trade_id}/submit`;
        const bytes = Buffer.from(quote.partially_signed_transaction, 'base64');
        return { signed_tx: base64(cosign(bytes, [w.own.partner.wallet, w.own.user.wallet])) };
      },
      fields: [transaction('signed_tx')],
    },
  ];
}

const redemption = () => ({ service_user_id: w.own.user.id, denomination_id: tola.id, city: tola.city });
const partnerTables: BadInputTable[] = [
  ...keyTables(
    'partner',
    ['POST /v1/auth/challenge', 'POST /v1/auth/api-key'],
    ['wallet_address', 'partner_id', 'challenge_id', 'key_name'],
  ),
  table(
    'POST /v1/users',
    own,
    () => userBody({}, { kyc_data: { id_type: 'cnic', id_number: '42101-1234567-1' } }),
    [
      { path: 'user_id', kind: 'note', max: 255 },
      reference('wallet_address', 'invalid_wallet'),
      object('kyc'),
      reference('kyc.country'),
      label('kyc.full_name', 255),
      verbatim('kyc.kyc_provider'),
      reference('kyc.kyc_level', 'kyc_level_insufficient'),
      reference('kyc.kyc_verified_at'),
      optional(object('kyc.kyc_data')),
    ],
  ),
  ...tradeTables('POST /v1/buy', ['usdc_amount', 'gold_amount', 'min_gold_out'], 100.25),
  ...tradeTables('POST /v1/sell', ['gold_amount', 'usdc_amount', 'min_usdc_out'], 0.125),
  table('POST /v1/redemptions', own, redemption, [
    known('service_user_id', 'user_not_found'),
    reference('denomination_id', 'invalid_denomination'),
    reference('city', 'invalid_city'),
  ]),
  {
    route: 'POST /v1/redemptions/{redemption_id}/submit',
    send: (json) => own().post(at.redemption ?? '', json),
    async good() {
      const quote = expectStatus(await own().post('/v1/redemptions', redemption()), 201).body;
      at.redemption = `/v1/redemptions/${quote.redemption_id}/submit`;
      const bytes = Buffer.from(quote.partially_signed_transaction, 'base64');
      return { signed_tx: base64(cosign(bytes, [w.own.user.wallet])) };
    },
    fields: [transaction('signed_tx')],
  },
  {
    route: 'POST /v1/redemptions/{redemption_id}/cancel',
    send: (json) => own().post(at.cancel ?? '', json),
    async good() {
      at.cancel = `/v1/redemptions/${await givenRedemption(w.service, w.own)}/cancel`;
      return { reason: 'none' };
    },
    fields: [optional(verbatim('reason', 1_000))],
  },
  {
    route: 'POST /v1/transactions/inspect',
    send: (json) => own().post('/v1/transactions/inspect', json),
    async good() {
      const quote = expectStatus(await own().post('/v1/redemptions', redemption()), 201).body;
      return { transaction: quote.partially_signed_transaction };
    },
    fields: [reference('transaction')],
  },
];

const signedOrder = async () =>
  base64((await ordered(w.own.vault.withdrawal, paths.withdrawals, { amount: 1, tokenType: 'usdc' })).signed);
const noWallet = { status: 400, error: /^invalid_wallet$/ };
const put = (body: unknown) => w.own.vault.update.put(paths.executives(w.own.vault.partnerId), body);

const tradebookTables: BadInputTable[] = [
  ...keyTables(
    'tradebook',
    ['POST /api/auth/challenge', 'POST /api/auth/api-key'],
    ['walletAddress', 'partnerId', 'challengeId', 'keyName'],
    {
      challenge: [reference('keyType')],
      key: [optional(integer('expirationDays', 1, 365))],
    },
  ),
  ...['buy', 'sell'].map((side) =>
    table(`POST /api/trading/estimate/${side}`, role('executive'), () => ({ goldAmount: 1 }), [
      amount('goldAmount'),
    ]),
  ),
  table(
    'POST /api/trading/purchases/partner',
    role('executive'),
    () => ({ goldAmount: 1, maxUsdcAmount: 5_000, metadata: {} }),
    [amount('goldAmount'), amount('maxUsdcAmount'), optional(object('metadata'))],
  ),
  table(
    'POST /api/trading/sales/partner',
    role('executive'),
    () => ({ goldAmount: 1, minimumUsdcAmount: 4_000, metadata: {} }),
    [amount('goldAmount'), amount('minimumUsdcAmount', true), optional(object('metadata'))],
  ),
  table(
    'POST /api/trading/withdrawals',
    role('withdrawal'),
    () => ({ amount: 1, tokenType: 'usdc', metadata: {} }),
    [amount('amount'), reference('tokenType'), optional(object('metadata'))],
  ),
  {
    route: 'PUT /api/distribution/partner/{partnerId}/executive-authority',
    send: put,
    good: () => ({ add: [newWallet().address] }),
    fields: [list('add', noWallet), optional(list('remove', noWallet))],
    conditional: ['add'],
  },
  table(
    'POST /api/transactions/submit',
    anonymous,
    async () => ({ signedTransaction: await signedOrder() }),
    [transaction('signedTransaction')],
  ),
  table(
    'POST /api/transactions/submit-batch',
    anonymous,
    async () => ({ signedTransactions: [await signedOrder()] }),
    [list('signedTransactions')],
  ),
];

const surfaces: [string, Surface, BadInputTable[]][] = [
  ['partner', partner, partnerTables],
  ['tradebook', tradebook, tradebookTables],
];
describe.each(surfaces)('%s', (_name, surface, tables) => {
  describeBadInput(surface, { harness: () => w.service, tables });
  let endpoint = '';
  beforeAll(async () => {
    const url = 'https://93.184.216.34/events';
    endpoint = expectStatus(await own().post('/v1/webhook-endpoints', { url }), 201).body.endpoint_id;
  });
  describeBadLists(surface, (path) =>
    (surface === partner ? own() : w.own.vault.update).get(path.replace('{endpoint_id}', endpoint)),
  );
});

describe('addresses that no executive can have', () => {
  const offCurve = () => w.own.vault.vault;
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
  ])('addresses %s are refused by place', async (_, text) => {
    const present = w.own.vault.executive.wallet.address;
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
    expect(await put({ [list]: wallets })).toMatchObject({
      status: 400,
      body: {
        success: false,
        error: {
          code: 'invalid_request',
          field: list,
          message: `${list} must have at most 8 items, not 1350.`,
        },
      },
    });
  },
);

describe('an unknown field', () => {
  const bodies: [string, () => RoleClient, object, number][] = [
    [paths.purchases, () => w.own.vault.executive, { goldAmount: 1, maxUsdcAmount: 5_000 }, 201],
    [paths.sales, () => w.own.vault.executive, { goldAmount: 1, minimumUsdcAmount: 0 }, 201],
    [paths.withdrawals, () => w.own.vault.withdrawal, { amount: 1, tokenType: 'gold' }, 201],
    ['/api/trading/estimate/buy', () => w.own.vault.executive, { goldAmount: 1 }, 200],
  ];

  test.each(bodies)('an unknown field of %s is ignored', async (path, client, body, status) => {
    const more = { ...body, partnerId: 'x', walletAddress: 1, status: 'confirmed', slippage_bps: null };
    const response = await client().post(path, more);
    expect([response.status, response.text.includes('slippage')]).toEqual([status, false]);
  });

  test.each(['{"__proto__":{}}', '{"constructor":{"prototype":1}}', '{"a":{"__proto__":1}}'])(
    'an unknown field is ignored but metadata of %s is refused',
    async (text) => {
      const response = await w.own.vault.executive.post(
        paths.purchases,
        `{"goldAmount":1,"maxUsdcAmount":5000,"metadata":${text}}`,
      );
      expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    },
  );
});
