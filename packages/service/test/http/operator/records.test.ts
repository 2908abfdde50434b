import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noFailure } from '../../../src/db/failure.js';
import { insertOrder, type NewOrder } from '../../../src/db/orders/orders.js';
import { orders } from '../../../src/db/schema.js';
import { insertTrades, type TradeRecord } from '../../../src/db/trades/trades.js';
import { newId, newUuid, type UserId, type Uuid } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { expectStatus, type GivenPartner, type Harness, harness, newWallet } from '../../harness.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
let globex: GivenPartner;
let userId: UserId;
let globexUser: UserId;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  globex = await h.givenPartner({ name: 'Globex' });
  userId = (await h.givenUser(h.main.partnerId)).id;
  globexUser = (await h.givenUser(globex.partnerId)).id;
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const get = (path: string) => operators.by.viewer.client.get(`${operatorBase}${path}`);
const list = async (path: string) => expectStatus(await get(path), 200).body;
const signature = () => signatureNamed(newUuid());

let events = 0n;
async function givenTrade(overrides: Partial<TradeRecord> = {}) {
  events += 1n;
  h.clock.advance(1);
  const record: TradeRecord = {
    id: newId('trd'),
    partnerId: h.main.partnerId,
    userId,
    side: 'buy',
    status: 'confirmed',
    usdcAmount: usdcUnits(100_000_001n),
    goldAmount: goldUnits(24_267n),
    pricePerTroyOz: '4100.12',
    feeBps: 50,
    feeUsdc: usdcUnits(500_001n),
    txSignature: signature(),
    slot: 371_204_731n,
    eventSeq: events,
    ...noFailure,
    ...overrides,
  };
  await h.ctx.db.transaction((tx) => insertTrades(tx, [record], new Date(h.clock.now())));
  return record;
}

const failed = {
  status: 'failed',
  goldAmount: goldUnits(0n),
  pricePerTroyOz: '0',
  feeBps: 0,
  feeUsdc: usdcUnits(0n),
  eventSeq: null,
  failureReason: 'SlippageExceeded',
  reason: 'slippage_exceeded',
  programErrorName: 'SlippageExceeded',
} as const;

describe('trades', () => {
  test('show what partners see, and whose they are', async () => {
    const { id, txSignature } = await givenTrade();
    const seen = expectStatus(await get(`/trades/${id}`), 200).body;
    const [user] = (await list(`/users?q=${userId}`)).users;
    expect(seen).toEqual({
      trade_id: id,
      side: 'buy',
      status: 'confirmed',
      usdc_amount: 100.000001,
      gold_amount: 0.024267,
      price_per_troy_oz: 4100.12,
      fee_bps: 50,
      fee_usd: 0.500001,
      submitted_tx_hash: txSignature,
      created_at: new Date(h.clock.now()).toISOString(),
      updated_at: new Date(h.clock.now()).toISOString(),
      partner_id: h.main.partnerId,
      service_user_id: userId,
      user_id: user.user_id,
      slot: 371_204_731,
      final: false,
      failure_reason: null,
    });
    const { partner_id, service_user_id, user_id, slot, final, failure_reason, ...theirs } = seen;
    expect((await h.partner.get(`/v1/trades/${id}`)).body).toEqual(theirs);
    expect((await list('/trades?limit=1')).trades).toEqual([seen]);
  });

  test('trades are of all partners, newest first, filtered, page by page', async () => {
    const made = [
      await givenTrade(),
      await givenTrade({ ...failed }),
      await givenTrade({ partnerId: globex.partnerId, userId: globexUser, side: 'sell' }),
    ];
    const [mine, reverted, theirs] = made.map(({ id }) => id);
    const ids = async (query: string) =>
      (await list(`/trades?${query}`)).trades.map((trade: { trade_id: string }) => trade.trade_id);
    expect((await ids('')).slice(0, 3)).toEqual([theirs, reverted, mine]);
    expect(await ids(`partner_id=${globex.partnerId}`)).toEqual([theirs]);
    expect(await ids(`service_user_id=${globexUser}`)).toEqual([theirs]);
    expect(await ids(`service_user_id=${globexUser}&partner_id=${h.main.partnerId}`)).toEqual([]);
    expect(await ids('status=failed')).toEqual([reverted]);
    expect(await ids('side=sell')).toEqual([theirs]);
    expect((await get(`/trades/${reverted}`)).body).toMatchObject({
      status: 'failed',
      failure_reason: 'SlippageExceeded',
    });
    const first = await list('/trades?limit=2');
    await givenTrade();
    const second = await list(`/trades?limit=2&cursor=${first.next_cursor}`);
    expect(second.trades[0].trade_id).toBe(mine);
  });

  test.each([
    'partner_id=x',
    `partner_id=${newUuid()}`,
    'service_user_id=x',
    `service_user_id=${newId('gu')}`,
  ])('trades with %s are none', async (query) => {
    expect(await list(`/trades?${query}`)).toEqual({ trades: [], next_cursor: null });
  });

  test.each([newId('trd'), 'trd_x', newId('red'), '%00', 'x'.repeat(5_000)])(
    'a trade %s is unknown',
    async (id) => {
      expect(await get(`/trades/${id}`)).toMatchObject({ status: 404, body: { error: 'trade_not_found' } });
    },
  );
});

describe('orders', () => {
  let keyId: Uuid;
  beforeAll(() => {
    keyId = h.main.keyId;
  });

  async function givenOrder(overrides: Partial<NewOrder> = {}): Promise<Uuid> {
    h.clock.advance(1);
    const order: NewOrder = {
      id: newUuid(),
      kind: 'purchase',
      partnerId: h.main.partnerId,
      keyId,
      signer: newWallet().address,
      integrator: newWallet().address,
      createdAt: new Date(h.clock.now()),
      expiresAt: new Date(h.clock.now() + 60_000),
      lastValidBlockHeight: 1_000n,
      goldAmount: goldUnits(10_000_001n),
      usdcAmount: usdcUnits(41_206_200_001n),
      usdcLimit: usdcUnits(41_500_000_000n),
      quotedPrice: '4100.12',
      maxFeeBps: 50,
      ...overrides,
    };
    await h.ctx.db.transaction((tx) => insertOrder(tx, order));
    return order.id;
  }
  const ids = async (query: string) =>
    (await list(`/orders?${query}`)).orders.map((order: { id: string }) => order.id);

  test('orders show what was requested', async () => {
    const metadata = { note: '<script>alert(1)</script>', ref: 7 };
    const id = await givenOrder({ metadata });
    const seen = expectStatus(await get(`/orders/${id}`), 200).body;
    expect(seen).toEqual({
      id,
      kind: 'purchase',
      status: 'pending_signature',
      partner_id: h.main.partnerId,
      key_id: keyId,
      signer: expect.any(String),
      destination: null,
      token: null,
      gold_amount: 10.000001,
      usdc_amount: 41_206.200001,
      usdc_limit: 41_500,
      quoted_price: 4100.12,
      max_fee_bps: 50,
      added: [],
      removed: [],
      metadata,
      tx_hash: null,
      slot: null,
      executed_gold: null,
      executed_usdc: null,
      executed_price: null,
      fee_usdc: null,
      final: false,
      failure_reason: null,
      expires_at: new Date(h.clock.now() + 60_000).toISOString(),
      created_at: new Date(h.clock.now()).toISOString(),
      updated_at: new Date(h.clock.now()).toISOString(),
    });
    expect((await list('/orders?limit=1')).orders).toEqual([seen]);
  });

  test('orders show what the chain did, also where no key requested it', async () => {
    const id = newUuid();
    const at = new Date(h.clock.now());
    await h.ctx.db.insert(orders).values({
      id,
      kind: 'withdrawal',
      status: 'confirmed',
      partnerId: globex.partnerId,
      keyId: null,
      signer: newWallet().address,
      integrator: newWallet().address,
      destination: addressNamed('destination'),
      token: 'usdc',
      usdcAmount: usdcUnits(5_000_001n),
      txSignature: signatureNamed('withdrawal'),
      slot: 9n,
      executedUsdc: usdcUnits(5_000_001n),
      eventSeq: 1n,
      createdAt: at,
      updatedAt: at,
    });
    await h.ctx.sql`delete from unfinalized`;
    expect((await get(`/orders/${id}`)).body).toMatchObject({
      kind: 'withdrawal',
      status: 'confirmed',
      key_id: null,
      token: 'usdc',
      destination: addressNamed('destination'),
      gold_amount: null,
      usdc_amount: 5.000001,
      tx_hash: signatureNamed('withdrawal'),
      slot: 9,
      executed_usdc: 5.000001,
      executed_gold: null,
      final: true,
      expires_at: null,
    });
    expect(await ids('kind=withdrawal')).toEqual([id]);
    expect(await ids(`partner_id=${globex.partnerId}&status=confirmed`)).toEqual([id]);
    expect(await ids(`partner_id=${globex.partnerId}&status=failed`)).toEqual([]);
  });

  test('orders of executives name who comes and goes', async () => {
    const [added, removed] = [newWallet().address, newWallet().address];
    const none = { goldAmount: null, usdcAmount: null, usdcLimit: null, quotedPrice: null, maxFeeBps: null };
    const id = await givenOrder({ ...none, kind: 'executive_update', added: [added], removed: [removed] });
    expect((await get(`/orders/${id}`)).body).toMatchObject({ added: [added], removed: [removed] });
    expect(await ids('kind=executive_update')).toEqual([id]);
  });

  test('orders are newest first and stable page by page', async () => {
    const own = await h.givenPartner();
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.unshift(await givenOrder({ partnerId: own.partnerId }));
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(`/orders?partner_id=${own.partnerId}&limit=2${cursor}`);
      seen.push(...page.orders.map((order: { id: string }) => order.id));
      await givenOrder({ partnerId: own.partnerId });
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(made);
  });

  test.each([newUuid(), 'x', newId('trd'), '%00', 'x'.repeat(5_000)])(
    'an order %s is unknown',
    async (id) => {
      expect(await get(`/orders/${id}`)).toMatchObject({
        status: 404,
        body: { error: 'not_found', message: 'There is no order with this id.' },
      });
    },
  );

  test.each(['partner_id=x', `partner_id=${newUuid()}`])('orders with %s are none', async (query) => {
    expect(await list(`/orders?${query}`)).toEqual({ orders: [], next_cursor: null });
  });
});
