import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { noFailure } from '../../../src/db/failure.js';
import { insertRedemption, moveRedemption } from '../../../src/db/redemptions/redemptions.js';
import { apiKeys, users } from '../../../src/db/schema.js';
import { insertTrades, type TradeRecord } from '../../../src/db/trades/trades.js';
import { newId, newUuid, type TradeId, type UserId } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { type GivenPartner, type Harness, harness, newWallet } from '../../harness.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';
import { seedDenominations, tola } from '../../redeeming.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
});
afterAll(() => h.close());

interface Owner {
  partner: GivenPartner;
  user: { id: UserId; partnerUserId: string };
}

async function newOwner(): Promise<Owner> {
  const partner = await h.givenPartner();
  return { partner, user: await h.givenUser(partner.partnerId) };
}

const unique = () => randomBytes(16).toString('hex');

function tradeRecord({ partner, user }: Owner, overrides: Partial<TradeRecord> = {}): TradeRecord {
  const failed = overrides.status === 'failed';
  return {
    id: newId('trd'),
    partnerId: partner.partnerId,
    userId: user.id,
    side: 'buy',
    status: 'confirmed',
    usdcAmount: usdcUnits(100_000_000n),
    goldAmount: goldUnits(failed ? 0n : 24_267n),
    pricePerTroyOz: failed ? '0' : '4100.12',
    feeBps: failed ? 0 : 50,
    feeUsdc: usdcUnits(failed ? 0n : 500_000n),
    txSignature: signatureNamed(unique()),
    slot: 7n,
    eventSeq: failed ? null : BigInt(`0x${randomBytes(6).toString('hex')}`),
    ...noFailure,
    ...(failed && { failureReason: 'SlippageExceeded', reason: 'slippage_exceeded' }),
    ...overrides,
  };
}

interface List {
  path: string;
  array: string;
  idOf(row: Record<string, string>): string | undefined;
  /** Writes a row of the list with that creation; its id. */
  insert(tx: Tx, owner: Owner, at: Date): Promise<string>;
}

const lists: Record<string, List> = {
  keys: {
    path: '/v1/partner/api-keys',
    array: 'api_keys',
    idOf: (row) => row.key_id,
    async insert(tx, { partner }, at) {
      const id = newUuid();
      const { partnerId, wallet } = partner;
      const hash = randomBytes(32);
      await tx
        .insert(apiKeys)
        .values({ id, partnerId, walletAddress: wallet.address, name: 'k', hash, createdAt: at });
      return id;
    },
  },
  users: {
    path: '/v1/users',
    array: 'users',
    idOf: (row) => row.service_user_id,
    async insert(tx, { partner }, at) {
      const id = newId('gu');
      const walletAddress = newWallet().address;
      const row = { id, partnerId: partner.partnerId, partnerUserId: unique(), walletAddress };
      await tx.insert(users).values({ ...row, createdAt: at, updatedAt: at });
      return id;
    },
  },
  trades: {
    path: '/v1/trades',
    array: 'trades',
    idOf: (row) => row.trade_id,
    async insert(tx, owner, at) {
      const record = tradeRecord(owner);
      if ((await insertTrades(tx, [record], at)).size === 0) throw new Error('not written');
      return record.id;
    },
  },
  redemptions: {
    path: '/v1/redemptions',
    array: 'redemptions',
    idOf: (row) => row.redemption_id,
    async insert(tx, { partner, user }, at) {
      const id = newId('red');
      const move = { at, actor: 'indexer', note: null } as const;
      const quote = {
        id,
        partnerId: partner.partnerId,
        userId: user.id,
        denominationId: tola.id,
        denomination: tola.label,
        weightG: tola.weightG,
        city: tola.city,
        spotPriceUsd: '4100.12',
        tokensRequired: goldUnits(380_625n),
        goldValueUsd: 1_537_545_000n,
        feeUsd: 23_063_175n,
        totalUsd: 1_560_608_175n,
        userWallet: newWallet().address,
        escrowAccount: addressNamed('escrow'),
        quoteTxSignature: signatureNamed(unique()),
        lastValidBlockHeight: 1_000n,
      };
      await insertRedemption(tx, quote, move);
      const step = { from: 'quoted', to: 'submitted', ...move } as const;
      await moveRedemption(tx, id, step, {
        txSignature: quote.quoteTxSignature,
        slot: 5n,
        reclaimableAt: at,
      });
      return id;
    },
  },
};

const add = (list: List, owner: Owner, at: Date) => h.ctx.db.transaction((tx) => list.insert(tx, owner, at));

/** One pass over all pages; `meanwhile` runs at the same time as every page is read. */
async function pass(
  list: List,
  { partner }: Owner,
  options: { query?: string; limit?: number; meanwhile?: () => Promise<unknown> } = {},
): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const { query = '', limit = 5 } = options;
    const at: string = cursor === null ? '' : `&cursor=${cursor}`;
    const [response] = await Promise.all([
      partner.client.get(`${list.path}?limit=${limit}${query}${at}`),
      options.meanwhile?.(),
    ]);
    expect(response.status).toBe(200);
    const rows = response.body[list.array] as Record<string, string>[];
    expect(rows.length).toBeLessThanOrEqual(limit);
    expect(response.body.next_cursor === null || rows.length === limit).toBe(true);
    seen.push(...rows.map((row) => list.idOf(row) ?? ''));
    cursor = response.body.next_cursor;
  } while (cursor !== null);
  return seen;
}

describe.each(Object.entries(lists))('the list of %s', (name, list) => {
  /** Rows of a new partner, `count` of them, three a millisecond so that pages end inside one; newest first. */
  async function filled(count: number) {
    const owner = await newOwner();
    const base = h.clock.now() - 10_000;
    for (let i = 0; i < count; i += 1) await add(list, owner, new Date(base + Math.floor(i / 3)));
    return { owner, base, before: await pass(list, owner, { limit: 100 }) };
  }

  test('pages lose and double nothing while rows are written, before, between and behind them', async () => {
    const { owner, base, before } = await filled(22);
    expect(before.length).toBeGreaterThanOrEqual(22);
    const added: string[] = [];
    let round = 0;
    const meanwhile = async () => {
      round += 1;
      // A clock that runs late writes among the rows that are there, also at the very same millisecond.
      const moments = [h.clock.now(), base + (round % 8), base - round];
      added.push(...(await Promise.all(moments.map((ms) => add(list, owner, new Date(ms))))));
    };
    const seen = await pass(list, owner, { meanwhile });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => !added.includes(id))).toEqual(before);
    const after = await pass(list, owner);
    expect(after.toSorted()).toEqual([...before, ...added].toSorted());
    expect(after).toEqual(await pass(list, owner, { limit: 100 }));
  });

  test('a row that is committed late is seen at most once, and by the next pass for certain', async () => {
    const { owner, base, before } = await filled(12);
    let commit = () => {};
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let written: (id: string) => void = () => {};
    const lateId = new Promise<string>((resolve) => {
      written = resolve;
    });
    const open = h.ctx.db.transaction(async (tx) => {
      written(await list.insert(tx, owner, new Date(base + 2)));
      await committing;
    });
    const late = await lateId;
    let pages = 0;
    const seen = await pass(list, owner, {
      limit: 4,
      meanwhile: async () => {
        pages += 1;
        if (pages !== 2) return;
        commit();
        await open;
      },
    });
    expect(seen.filter((id) => id !== late)).toEqual(before);
    expect(seen.filter((id) => id === late).length).toBeLessThanOrEqual(1);
    expect(await pass(list, owner)).toContain(late);
  });

  test('pages have 100 rows by default, and a page that ends at the last row reports it', async () => {
    const owner = await newOwner();
    const there = (await pass(list, owner)).length;
    await h.ctx.db.transaction(async (tx) => {
      for (let i = there; i < 101; i += 1) await list.insert(tx, owner, new Date(h.clock.now() - i));
    });
    const { client } = owner.partner;
    const first = await client.get(list.path);
    expect(first.body[list.array]).toHaveLength(100);
    const second = await client.get(`${list.path}?cursor=${first.body.next_cursor}`);
    expect([second.body[list.array].length, second.body.next_cursor]).toEqual([1, null]);
    expect(await pass(list, owner, { limit: 100 })).toHaveLength(101);
  });

  test("another partner's rows never show, not by a cursor either", async () => {
    const { owner } = await filled(7);
    const other = await newOwner();
    const { body } = await owner.partner.client.get(`${list.path}?limit=1`);
    const foreign = await other.partner.client.get(`${list.path}?cursor=${body.next_cursor}`);
    const own = await pass(list, other);
    const rows = foreign.body[list.array] as Record<string, string>[];
    expect(rows.map((row) => list.idOf(row) ?? '').filter((id) => !own.includes(id))).toEqual([]);
  });

  const cursorOf = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`;
  test.each([
    ['limit=', 'limit'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=%31%00', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=a&cursor=b', 'cursor'],
    [cursorOf('1700000000000.x'), 'cursor'],
    [cursorOf('1700000000000.ch_01890000-0000-7000-8000-000000000000'), 'cursor'],
    [cursorOf('99999999999999999.gu_01890000-0000-7000-8000-000000000000'), 'cursor'],
    ...(name === 'keys'
      ? []
      : [
          ['status=', 'status'],
          ['status=nonsense', 'status'],
          ['status=ACTIVE', 'status'],
          ['status=quoted', 'status'],
          ['status=failed&status=failed', 'status'],
        ]),
    ...(name === 'trades'
      ? [
          ['side=', 'side'],
          ['side=BUY', 'side'],
          ['side=buy&side=sell', 'side'],
        ]
      : []),
  ])('%s is 400', async (query, field) => {
    expect(await h.partner.get(`${list.path}?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field },
    });
  });
});

const nobodies = [
  'gu_01890000-0000-7000-8000-000000000000',
  'nonsense',
  'trd_01890000-0000-7000-8000-000000000000',
  '%00',
  '%ED%A0%80',
  '',
  "'; drop table users; --",
];

test('users are found by status and by the partner’s own id, and shown without KYC', async () => {
  const partner = await h.givenPartner();
  const active = await h.givenUser(partner.partnerId);
  h.clock.advance(1);
  const suspended = await h.givenUser(partner.partnerId, { status: 'suspended' });
  const other = await h.givenUser(h.main.partnerId);
  const idsOf = async (query: string) =>
    (await partner.client.get(`/v1/users${query}`)).body.users.map(
      (user: { service_user_id: string }) => user.service_user_id,
    );
  expect(await idsOf('')).toEqual([suspended.id, active.id]);
  expect(await idsOf('?status=active')).toEqual([active.id]);
  expect(await idsOf('?status=suspended')).toEqual([suspended.id]);
  expect(await idsOf(`?user_id=${active.partnerUserId}`)).toEqual([active.id]);
  expect(await idsOf(`?user_id=${active.partnerUserId}&status=suspended`)).toEqual([]);
  expect(await idsOf(`?user_id=${other.partnerUserId}`)).toEqual([]);
  for (const noOperator of nobodies) expect(await idsOf(`?user_id=${noOperator}`)).toEqual([]);
  const { body } = await partner.client.get(`/v1/users?user_id=${active.partnerUserId}`);
  expect(body).toEqual({
    users: [
      {
        service_user_id: active.id,
        user_id: active.partnerUserId,
        wallet_address: active.wallet.address,
        status: 'active',
        country: 'PK',
        kyc_level: 'full',
        created_at: new Date(h.clock.now() - 1).toISOString(),
      },
    ],
    next_cursor: null,
  });
});

describe.each(['trades', 'redemptions'])('%s by creation time', (name) => {
  const list = lists[name] as List;

  test('rows by creation time are those from one moment to another, both included, on all pages', async () => {
    const owner = await newOwner();
    const first = Date.parse('2026-03-01T12:00:00.000Z');
    const ids: string[] = [];
    for (const minute of [0, 1, 2, 3, 4]) ids.push(await add(list, owner, new Date(first + minute * 60_000)));
    const found = (query: string, limit = 5) => pass(list, owner, { query, limit });
    const newest = (from: number, to: number) => ids.slice(from, to + 1).reverse();
    expect(await found('&created_from=2026-03-01T12:01:00Z')).toEqual(newest(1, 4));
    expect(await found('&created_to=2026-03-01T12:01:00Z')).toEqual(newest(0, 1));
    const inner = '&created_from=2026-03-01T12:01:00Z&created_to=2026-03-01T17:03:00%2B05:00';
    expect(await found(inner)).toEqual(newest(1, 3));
    expect(await found(inner, 1)).toEqual(newest(1, 3));
    expect(await found(`${inner}&service_user_id=${owner.user.id}`, 2)).toEqual(newest(1, 3));
    expect(await found(`${inner}&user_id=${owner.user.partnerUserId}`, 2)).toEqual(newest(1, 3));
    expect(await found('&created_from=2026-03-01T12:01:00.001Z&created_to=2026-03-01T12:01:59Z')).toEqual([]);
  });

  test.each([
    ['created_from=2026-03-01', 'created_from'],
    ['created_to=now', 'created_to'],
    ['created_from=2026-03-02T00:00:00Z&created_to=2026-03-01T00:00:00Z', 'created_from'],
  ])('%s is 400', async (query, field) => {
    expect(await h.partner.get(`${list.path}?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field },
    });
  });
});

describe('trades', () => {
  let owner: Owner;
  let second: Owner['user'];
  const ids: Record<string, TradeId> = {};
  beforeAll(async () => {
    owner = await newOwner();
    second = await h.givenUser(owner.partner.partnerId);
    const records: Record<string, TradeRecord> = {
      bought: tradeRecord(owner),
      sold: tradeRecord(owner, { side: 'sell' }),
      failed: tradeRecord(owner, { status: 'failed' }),
      second: tradeRecord({ ...owner, user: second }),
    };
    let at = h.clock.now() - 1_000;
    for (const [name, record] of Object.entries(records)) {
      ids[name] = record.id;
      at += 1;
      await h.ctx.db.transaction((tx) => insertTrades(tx, [record], new Date(at)));
    }
  });

  const idsOf = async (query: string) =>
    (await owner.partner.client.get(`/v1/trades${query}`)).body.trades.map(
      (trade: { trade_id: string }) => trade.trade_id,
    );

  test('trades are found by user, side and status, newest first', async () => {
    const { bought, sold, failed, second: other } = ids;
    expect(await idsOf('')).toEqual([other, failed, sold, bought]);
    expect(await idsOf('?side=sell')).toEqual([sold]);
    expect(await idsOf('?status=failed')).toEqual([failed]);
    expect(await idsOf('?status=confirmed&side=buy')).toEqual([other, bought]);
    expect(await idsOf(`?service_user_id=${second.id}`)).toEqual([other]);
    expect(await idsOf(`?service_user_id=${second.id}&side=sell`)).toEqual([]);
    expect(await idsOf(`?user_id=${second.partnerUserId}`)).toEqual([other]);
    expect(await idsOf(`?user_id=${second.partnerUserId}&service_user_id=${second.id}`)).toEqual([other]);
    expect(await idsOf(`?user_id=${second.partnerUserId}&service_user_id=${owner.user.id}`)).toEqual([]);
    const { body } = await owner.partner.client.get(`/v1/trades?side=sell`);
    expect(body.trades[0]).toEqual((await owner.partner.client.get(`/v1/trades/${sold}`)).body);
  });

  test("trades of a user who is unknown, another partner's or no id at all are none", async () => {
    const other = await newOwner();
    await add(lists.trades as List, other, new Date(h.clock.now()));
    for (const noOperator of [other.user.id, ...nobodies])
      expect(await idsOf(`?service_user_id=${noOperator}`)).toEqual([]);
    for (const unknown of [other.user.partnerUserId, ...nobodies])
      expect(await idsOf(`?user_id=${unknown}`)).toEqual([]);
  });

  test('pages keep to their filter', async () => {
    const list = lists.trades as List;
    expect(await pass(list, owner, { limit: 1, query: '&side=buy' })).toEqual([
      ids.second,
      ids.failed,
      ids.bought,
    ]);
  });
});
