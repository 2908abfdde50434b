import { afterAll, beforeAll, expect, test } from 'vitest';
import { countFees } from '../../../src/db/limits/fee-spending.js';
import { countVelocity, putLimits } from '../../../src/db/limits/velocity.js';
import { newId } from '../../../src/domain/ids.js';
import { noLimits } from '../../../src/domain/velocity.js';
import { EventStreamRegister } from '../../../src/events/event-stream-register.js';
import { expectStatus } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';

const million = 1_000_000n;
const hourMs = 3_600_000;
let t: Karat;
beforeAll(async () => {
  t = await startKarat({ config: { webhooksAllowLocal: true, keyRateLimitPerMinute: 600 } });
});
afterAll(() => t.stop());

const limits = async (client = t.service.main.client) => {
  const { body } = expectStatus(await client.get('/v1/limits'), 200);
  return Object.fromEntries(body.limits.map(({ name, ...limit }: { name: string }) => [name, limit]));
};
const now = () => t.service.ctx.clock.now();

test('limits: a partner without any traffic has all of each limit left, and none where none is set', async () => {
  const { client } = await t.service.givenPartner();
  const daily = { period_seconds: 86_400, reserved: 0, limit: null, left: null, resets_at: null };
  const minute = {
    unit: 'requests',
    period_seconds: 60,
    reserved: 0,
    limit: 600,
    resets_at: expect.any(String),
  };
  const lasting = { period_seconds: null, used: 0, reserved: 0, resets_at: null };
  expect(await limits(client)).toEqual({
    partner_daily_usdc: { ...daily, unit: 'USDC', used: 0 },
    partner_daily_gold: { ...daily, unit: 'GOLD', used: 0 },
    user_daily_usdc: { ...daily, unit: 'USDC', used: null },
    user_daily_gold: { ...daily, unit: 'GOLD', used: null },
    fee_budget: {
      unit: 'SOL',
      period_seconds: 3_600,
      used: 0,
      reserved: 0,
      limit: 0.5,
      left: 0.5,
      resets_at: null,
    },
    partner_reads: { ...minute, limit: 3_000, used: 1, left: 2_999 },
    partner_writes: { ...minute, limit: 3_000, used: 0, left: 3_000, resets_at: null },
    key_reads: { ...minute, used: 1, left: 599 },
    key_writes: { ...minute, used: 0, left: 600, resets_at: null },
    webhook_endpoints: { ...lasting, unit: 'webhook endpoints', limit: 10, left: 10 },
    partner_streams: { ...lasting, unit: 'streams', limit: 50, left: 50 },
    key_streams: { ...lasting, unit: 'streams', limit: 5, left: 5 },
  });
});

test('limits: what was moved and open quotes count against the day, as a refused quote counts them', async () => {
  const { partnerId } = t.service.main;
  const { db } = t.service.ctx;
  const owner = { kind: 'partner', ownerId: partnerId } as const;
  await db.transaction(async (tx) => {
    const set = { ...noLimits, partnerUsdc: 100n * million, userGold: 3n * million };
    await putLimits(tx, owner, set, new Date(now()));
    const moved = { quoteId: newId('trd'), userId: t.user.id, partnerId, usdc: 30n * million, gold: 0n };
    await countVelocity(tx, [moved], new Date(now()));
  });
  const quote = (usdc_amount: number) =>
    t.service.main.client.post('/v1/buy', { service_user_id: t.user.id, usdc_amount });
  expectStatus(await quote(20), 200);
  expect(await limits()).toMatchObject({
    partner_daily_usdc: {
      used: 30,
      reserved: 20,
      limit: 100,
      left: 50,
      resets_at: new Date((Math.floor(now() / hourMs) + 24) * hourMs).toISOString(),
    },
    user_daily_gold: { used: null, limit: 3, left: null },
    user_daily_usdc: { limit: null },
    chain_daily_usdc: { used: 0, limit: null, left: null, resets_at: null },
  });
  expectStatus(await quote(50), 200);
  expect((await limits()).partner_daily_usdc).toMatchObject({ reserved: 70, left: 0 });
  expect(expectStatus(await quote(1), 403).body).toMatchObject({
    error: 'limit_exceeded',
    details: { limit: 'partner_daily_usdc', amount: 100, used: 30, reserved: 70 },
  });
});

test('limits: what the service paid in this hour, endpoints and open streams are counted', async () => {
  const { client, partnerId, keyId } = await t.service.givenPartner();
  const { ctx } = t.service;
  const spent = { partnerId, lamports: 400_000_000n, feeUsdc: 0n, landedMs: now() };
  await ctx.db.transaction((tx) => countFees(tx, [spent], new Date(now())));
  const created = await client.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:1024/' });
  t.service.secrets.add(expectStatus(created, 201).body.secret);
  const register = new EventStreamRegister(ctx);
  for (let opened = 0; opened < 2; opened += 1)
    expect(await register.open({ partnerId, keyId })).toHaveProperty('id');
  const endOfHour = new Date((Math.floor(now() / hourMs) + 1) * hourMs).toISOString();
  expect(await limits(client)).toMatchObject({
    fee_budget: { used: 0.4, limit: 0.5, left: 0.1, resets_at: endOfHour },
    webhook_endpoints: { used: 1, left: 9 },
    partner_streams: { used: 2, left: 48 },
    key_streams: { used: 2, left: 3 },
    key_writes: { used: 1, left: 599 },
  });
});

test('limits: the limit on chain is that of the partner there', async () => {
  const { client, partnerId, wallet } = await t.service.givenPartner();
  expect(await limits(client)).not.toHaveProperty('chain_daily_usdc');
  await t.chain.addPartner({ partnerId, wallet: wallet.address, dailyLimitUsdc: 500n * million });
  await eventually(
    async () =>
      expect((await limits(client)).chain_daily_usdc).toMatchObject({ used: 0, limit: 500, left: 500 }),
    10_000,
  );
});
