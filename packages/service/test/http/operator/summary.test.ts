import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noFailure } from '../../../src/db/failure.js';
import { saveKeeperReports } from '../../../src/db/market/keeper-reports.js';
import { saveCandles } from '../../../src/db/market/price-candles.js';
import { approvals, deadLetters } from '../../../src/db/schema.js';
import { insertTrades } from '../../../src/db/trades/trades.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import type { OperatorRole } from '../../../src/domain/operator.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let h: Harness;
let operators: Operators;
const nowMs = Date.parse('2026-03-30T12:00:00.000Z');
const dayMs = 86_400_000;
beforeAll(async () => {
  h = await harness({ nowMs });
  operators = await startOperators(h);
  await seedDenominations(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const summary = async (role: OperatorRole = 'viewer') =>
  expectStatus(await operators.by[role].client.get(`${operatorBase}/summary`), 200).body;

test('an empty service waits for nothing, and reports what is wrong with it', async () => {
  const body = await summary();
  expect(body.redemptions).toEqual(
    ['submitted', 'preparing', 'ready', 'cancellation_requested'].map((status) => ({
      status,
      count: 0,
      over_one_day: 0,
      over_three_days: 0,
      oldest_at: null,
    })),
  );
  expect(body).toMatchObject({
    at: new Date(nowMs).toISOString(),
    waiting: [],
    unsettled: [],
    open_dead_letters: 0,
    approvals_waiting: 0,
    price: { price: null, status: 'unavailable', day_open: null, hours: [] },
  });
  expect(body.health.map(({ part, status }: { part: string; status: string }) => [part, status])).toEqual([
    ['price', 'failed'],
    ['chain', 'failed'],
    ['indexer', 'failed'],
    ['keeper', 'failed'],
    ['treasury', 'warning'],
  ]);
  for (const { message } of body.health) expect(message).toMatch(/^[A-Z].*\.$/);
});

test('waiting redemptions are counted by status, age and city', async () => {
  const owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
  const old = new Date(nowMs - 4 * dayMs);
  await givenRedemption(h, owner, { status: 'submitted' });
  await givenRedemption(h, owner, { status: 'submitted', at: new Date(nowMs - 2 * dayMs) });
  await givenRedemption(h, owner, { status: 'ready', at: old, city: 'KARACHI' });
  await givenRedemption(h, owner, { status: 'cancellation_requested', city: 'Lahore' });
  await givenRedemption(h, owner, { status: 'collected' });
  for (const status of ['quoted', 'failed'] as const) await givenRedemption(h, owner, { status });
  const body = await summary();
  expect(body.redemptions[0]).toEqual({
    status: 'submitted',
    count: 2,
    over_one_day: 1,
    over_three_days: 0,
    oldest_at: new Date(nowMs - 2 * dayMs).toISOString(),
  });
  expect(body.redemptions[2]).toMatchObject({ status: 'ready', count: 1, over_three_days: 1 });
  expect(body.waiting).toEqual([
    expect.objectContaining({
      submitted: 2,
      preparing: 0,
      ready: 1,
      cancellation_requested: 0,
      oldest_at: old.toISOString(),
    }),
    expect.objectContaining({ city: 'Lahore', submitted: 0, cancellation_requested: 1 }),
  ]);
  expect(body.unsettled).toEqual([{ kind: 'burn', count: 1, oldest_at: expect.any(String) }]);
});

test('trades are counted by day of UTC, and the last day is today', async () => {
  const { id: userId } = await h.givenUser(h.main.partnerId);
  const trade = async (at: Date, side: 'buy' | 'sell', eventSeq: bigint) => {
    const record = {
      id: newId('trd'),
      partnerId: h.main.partnerId,
      userId,
      side,
      status: 'confirmed' as const,
      usdcAmount: usdcUnits(100_000_001n),
      goldAmount: goldUnits(24_267n),
      pricePerTroyOz: '4100.12',
      feeBps: 50,
      feeUsdc: usdcUnits(500_000n),
      txSignature: signatureNamed(`summary-${eventSeq}`),
      slot: 7n,
      eventSeq,
      ...noFailure,
    };
    await h.ctx.db.transaction((tx) => insertTrades(tx, [record], at));
  };
  await trade(new Date(nowMs), 'buy', 1n);
  await trade(new Date(nowMs - 12 * 3_600_000), 'sell', 2n);
  await trade(new Date(nowMs - 12 * 3_600_000 - 1), 'sell', 3n);
  await trade(new Date(nowMs - 30 * dayMs), 'buy', 4n);
  // The days may be some seconds old.
  const fresh = await startOperators(h);
  const { body } = await fresh.by.viewer.client.get(`${operatorBase}/summary`);
  await fresh.close();
  const today = { day: '2026-03-30', buys: 1, sells: 1, usdc: 200.000002, gold: 0.048534 };
  expect(body.trades_today).toEqual(today);
  expect(body.trade_days).toHaveLength(30);
  expect(body.trade_days.at(-1)).toEqual(today);
  expect(body.trade_days.at(-2)).toEqual({
    day: '2026-03-29',
    buys: 0,
    sells: 1,
    usdc: 100.000001,
    gold: 0.024267,
  });
  expect(body.trade_days[0]).toEqual({ day: '2026-03-01', buys: 0, sells: 0, usdc: 0, gold: 0 });
});

test('the price has its last 24 hours', async () => {
  const hour = (hoursAgo: number, open: string, close: string) => {
    const at = new Date(nowMs - hoursAgo * 3_600_000);
    const [high, low] = open > close ? [open, close] : [close, open];
    return { interval: '1h' as const, at, open, high, low, close, closedAt: at };
  };
  await h.ctx.db.transaction((tx) =>
    saveCandles(tx, [hour(25, '1', '1'), hour(24, '4000', '4010'), hour(1, '4010', '3990.5')]),
  );
  expect((await summary()).price).toMatchObject({
    day_open: 4_000,
    day_high: 4_010,
    day_low: 3_990.5,
    hours: [
      { at: new Date(nowMs - dayMs).toISOString(), price: 4_010 },
      { at: new Date(nowMs - 3_600_000).toISOString(), price: 3_990.5 },
    ],
  });
});

test('the health of the treasury is what the keeper reports', async () => {
  const report = (status: 'ok' | 'warning' | 'critical') => ({
    name: 'treasury_gold' as const,
    status,
    value: '3',
    detail: 'the treasury holds 3 GOLD',
  });
  const treasury = async () => (await summary()).health.at(-1);
  for (const [reported, status] of [
    ['warning', 'warning'],
    ['critical', 'failed'],
  ] as const) {
    await h.ctx.db.transaction((tx) => saveKeeperReports(tx, [report(reported)]));
    expect(await treasury()).toEqual({ part: 'treasury', status, message: 'The treasury holds 3 GOLD.' });
  }
  await h.ctx.db.transaction((tx) => saveKeeperReports(tx, [report('ok')]));
  expect((await treasury()).status).toBe('ok');
});

test('open dead letters, and approvals that the caller may give, are counted', async () => {
  const at = new Date(nowMs);
  const deadLetter = {
    signature: signatureNamed('summary'),
    slot: 1n,
    reason: 'undecodable',
    detail: {},
  } as const;
  await h.ctx.db.insert(deadLetters).values({ id: newUuid(), ...deadLetter, createdAt: at });
  const requested = async (action: string, role: 'admin' | 'fulfilment', expiresAt: Date) => {
    const rest = { objectType: 'x', objectId: newUuid(), request: {}, objectHash: new Uint8Array(32) };
    const requestedBy = operators.by[role].operatorId;
    await h.ctx.db
      .insert(approvals)
      .values({ id: newUuid(), action, ...rest, requestedBy, createdAt: at, expiresAt });
  };
  const later = new Date(nowMs + dayMs);
  await requested('redemption.burn', 'fulfilment', later);
  await requested('redemption.refund', 'admin', later);
  await requested('partner.change', 'admin', later);
  await requested('partner.resume', 'fulfilment', later);
  await requested('limits.change', 'admin', later);
  await requested('redemption.burn', 'admin', at);
  const waiting = async (role: OperatorRole) => (await summary(role)).approvals_waiting;
  expect([
    await waiting('viewer'),
    await waiting('compliance'),
    await waiting('fulfilment'),
    await waiting('admin'),
  ]).toEqual([0, 1, 1, 2]);
  expect((await summary()).open_dead_letters).toBe(1);
  await h.ctx.db.execute(sql`update dead_letters set resolved_at = now()`);
  expect((await summary()).open_dead_letters).toBe(0);
});
