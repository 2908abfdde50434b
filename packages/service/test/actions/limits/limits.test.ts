import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { takeBack } from '../../../src/actions/indexing/take-back.js';
import { movedBy } from '../../../src/actions/trades/write-trades.js';
import { findUnfinalizedOf } from '../../../src/db/indexing/finality.js';
import {
  claimVelocity,
  countVelocity,
  findUsage,
  putLimits,
  releaseVelocity,
  uncountVelocity,
  velocityClaims,
} from '../../../src/db/limits/velocity.js';
import { writeReservations } from '../../../src/db/limits/velocity-reservations.js';
import { deleteTrade, findTrade, insertTrades } from '../../../src/db/trades/trades.js';
import { asTradeId, newId, newUuid, type UserId, type Uuid, uuidOf } from '../../../src/domain/ids.js';
import { txSignatureOf } from '../../../src/domain/solana.js';
import { noLimits, usedOf, type VelocityLimits } from '../../../src/domain/velocity.js';
import { unavailable } from '../../../src/errors.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { pause } from '../../../src/runtime/time.js';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus } from '../../harness.js';
import { hang, type Lie, type LyingNode, Refused, startLyingNode } from '../../indexer/lying-node.js';
import { type GivenUser, type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { changesOf } from '../../operators.js';
import { seedDenominations, tola } from '../../redeeming.js';
import { type ServiceProcess, startService } from '../../service-process.js';

let t: Karat;
let node: LyingNode;
let indexer: ReturnType<typeof startIndexer>;
beforeAll(async () => {
  t = await startKarat({
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  await seedDenominations(t.service);
  const times = {
    pollMs: 50,
    idlePollMs: 1_000,
    finalAfterMs: 0,
    finalizeMs: 300,
    lapseMs: 300,
    electionMs: 1_000,
  };
  indexer = startIndexer(t.service.ctx, times);
});
afterEach(async () => {
  node.lie = undefined;
  await t.service.ctx.sql`delete from velocity_limits`;
});
afterAll(async () => {
  await indexer.stop();
  await t.stop();
  await node.close();
});

const million = 1_000_000n;
const now = () => new Date(t.service.ctx.clock.now());
const set = (kind: 'user' | 'partner', ownerId: Uuid, limits: Partial<VelocityLimits>) =>
  t.service.ctx.db.transaction((tx) => putLimits(tx, { kind, ownerId }, { ...noLimits, ...limits }, now()));
const limitUser = (user: GivenUser, limits: Partial<VelocityLimits>) => set('user', uuidOf(user.id), limits);
/** What counts of an owner, base units. */
async function used(owner: Uuid) {
  const window = await findUsage(t.service.ctx.db, owner);
  const nowMs = t.service.ctx.clock.now();
  return { usdc: usedOf(window, 'usdc', nowMs), gold: usedOf(window, 'gold', nowMs) };
}
const usedBy = (user: GivenUser) => used(uuidOf(user.id));
const someone = async () => {
  const user = await t.given.user();
  await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 10_000_000n);
  return user;
};
const quoteFor = (user: GivenUser, usdc = 100) =>
  t.buy.quote({ service_user_id: user.id, usdc_amount: usdc });
/** A buy of a user, signed by all. */
async function bought(user: GivenUser, usdc = 100) {
  const { body } = await eventually(async () => expectStatus(await quoteFor(user, usdc), 200), 10_000);
  const bytes = Buffer.from(body.partially_signed_transaction, 'base64');
  const signed = cosign(bytes, [t.partner.wallet, user.wallet]);
  const id: string = body.trade_id;
  return { id, signed, body, submit: () => t.buy.submit(id, signed) };
}
const refusedBy = (limit: string, details: object = {}) => ({
  status: 403,
  body: {
    error: 'limit_exceeded',
    reason: 'limit_exceeded',
    details: { limit, period_hours: 24, ...details },
  },
});
const recorded = (id: string) =>
  eventually(async () => expectStatus(await t.partner.client.get(`/v1/trades/${id}`), 200), 20_000);
const losing: Lie = async ({ method, params }, ask) =>
  method === 'sendTransaction' ? txSignatureOf(Buffer.from(params[0], 'base64').subarray(1, 65)) : ask();

// First: later tests move the time of the chain, which processes do not follow.
describe('two processes that share a limit', () => {
  let processes: ServiceProcess[];
  beforeAll(async () => {
    const { rpcUrls, wsUrls, programId, serviceSignerUrl } = t.service.ctx.config;
    const env = {
      DATABASE_URL: t.service.databaseUrl,
      KARAT_RPC_URL: rpcUrls.join(),
      KARAT_WS_URL: wsUrls.join(),
      KARAT_PROGRAM_ID: programId,
      KARAT_SERVICE_SIGNER: serviceSignerUrl ?? '',
    };
    processes = await Promise.all([startService('serve', env), startService('serve', env)]);
  }, 150_000);
  afterAll(() => Promise.all(processes.map((process) => process.kill())));

  test('two processes that race for the last room never exceed the limit', { timeout: 150_000 }, async () => {
    const partner = t.partner.partnerId;
    const before = (await used(partner)).usdc;
    const users = await Promise.all([someone(), someone(), someone(), someone()]);
    for (const process of processes)
      await eventually(async () => expectStatus(await process.client({}).get('/ready'), 200), 60_000);
    const buys = await Promise.all([...users, ...users, ...users].map((user) => bought(user)));
    await set('partner', partner, { partnerUsdc: before + 450n * million, userUsdc: 250n * million });
    const responses = await Promise.all(
      buys.map(({ id, signed }, index) => {
        const process = processes[index % 2] as ServiceProcess;
        const client = process.client({ 'x-api-key': t.partner.apiKey });
        const body = { signed_tx: Buffer.from(signed).toString('base64') };
        // A busy machine may take too long; then the same bytes are sent again, as partners do.
        return eventually(async () => {
          const response = await client.post(`/v1/buy/${id}/submit`, body);
          if (response.status === 503) throw new Error(response.text);
          return response;
        }, 30_000);
      }),
    );
    const outcomes = responses.map(({ status, body }) =>
      status === 200 ? 'sent' : `${status} ${body.reason}`,
    );
    expect(outcomes.sort()).toEqual([...Array(8).fill('403 limit_exceeded'), ...Array(4).fill('sent')]);
    for (const user of users) expect((await usedBy(user)).usdc).toBeLessThanOrEqual(200n * million);
    expect((await used(partner)).usdc).toBe(before + 400n * million);
    const sent = buys.filter((_, index) => responses[index]?.status === 200);
    for (const { id } of sent) await recorded(id);
    expect((await used(partner)).usdc).toBe(before + 400n * million);
  });

  test('two processes that quote at the same time do not pass a limit', { timeout: 60_000 }, async () => {
    const user = await someone();
    await limitUser(user, { userUsdc: 450n * million });
    const clients = processes.map((process) => process.client({ 'x-api-key': t.partner.apiKey }));
    for (const client of clients)
      await eventually(
        async () =>
          expectStatus(await client.post('/v1/buy', { service_user_id: user.id, usdc_amount: 1 }), 200),
        30_000,
      );
    const quotes = Array.from({ length: 10 }, (_, index) =>
      clients[index % 2]?.post('/v1/buy', { service_user_id: user.id, usdc_amount: 100 }),
    );
    const outcomes = (await Promise.all(quotes)).map((response) => response?.status);
    expect(outcomes.sort()).toEqual([...Array(4).fill(200), ...Array(6).fill(403)]);
  });
});

test('a quote above a limit is refused with the limit, what is used, and when there is room', async () => {
  const user = await someone();
  await limitUser(user, { userUsdc: 150n * million });
  const response = await quoteFor(user, 150.000001);
  expect(response).toMatchObject(
    refusedBy('user_daily_usdc', { amount: 150, used: 0, requested: 150.000001, available_at: null }),
  );
  expect(response.body.message).toBe(
    'The user may move 150 USDC in 24 hours and moved 0 USDC; this moves up to 150.000001 USDC. Request less.',
  );
  // Not over the end of an hour.
  const leftMs = 3_600_000 - (t.service.ctx.clock.now() % 3_600_000);
  if (leftMs < 60_000) t.chain.node.warp({ seconds: Math.ceil(leftMs / 1_000) });
  const first = await bought(user);
  expectStatus(await first.submit(), 200);
  const second = await quoteFor(user);
  const hour = Math.floor(t.service.ctx.clock.now() / 3_600_000);
  const at = new Date((hour + 24) * 3_600_000).toISOString();
  expect(second).toMatchObject(
    refusedBy('user_daily_usdc', { amount: 150, used: 100, requested: 100, available_at: at }),
  );
  expect(second.body.message).toContain(`There is room again at ${at}; until then, request less.`);
  expectStatus(await quoteFor(user, 50), 200);
  // The other side, and gold.
  await limitUser(user, { userGold: 100_000n });
  expect(await t.sell.quote({ service_user_id: user.id, gold_amount: 0.2 })).toMatchObject(
    refusedBy('user_daily_gold'),
  );
  const redeem = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
  expect(await t.partner.client.post('/v1/redemptions', redeem)).toMatchObject(
    refusedBy('user_daily_gold', { amount: 0.1, requested: 0.380625 }),
  );
});

test('a submission counts at once with the most that it can move, and then with what it moved', async () => {
  // A refusal is in the audit log once a day.
  await t.avoidMidnight();
  const user = await someone();
  // Quotes of before a limit are not reserved.
  const [one, two] = [await bought(user), await bought(user)];
  await limitUser(user, { userUsdc: 150n * million });
  node.lie = losing;
  expectStatus(await one.submit(), 200);
  const gold = BigInt(Math.round(one.body.quote.gold_amount * 1e6));
  const claimed = await usedBy(user);
  expect(claimed.usdc).toBe(100n * million);
  expect(claimed.gold).toBeGreaterThan(gold);
  expect(claimed.gold).toBeLessThanOrEqual((gold * 102n) / 100n);
  expect(await two.submit()).toMatchObject(refusedBy('user_daily_usdc', { used: 100, requested: 100 }));
  expect(await two.submit()).toMatchObject(refusedBy('user_daily_usdc'));
  // The same bytes count once.
  expectStatus(await one.submit(), 200);
  expect(await usedBy(user)).toEqual(claimed);
  await eventually(
    async () =>
      expect(await changesOf(t.service, 'user', user.id)).toMatchObject([
        { action: 'limits.refuse', after: { limit: 'user_daily_usdc', used: 100, user_id: user.id } },
      ]),
    10_000,
  );
  node.lie = undefined;
  await t.chain.sendStraight(one.signed);
  const { body } = await recorded(one.id);
  expect(await usedBy(user)).toEqual({
    usdc: 100n * million,
    gold: BigInt(Math.round(body.gold_amount * 1e6)),
  });
  expect(await t.service.ctx.db.select().from(velocityClaims)).toEqual([]);
});

test('a submission that the node refuses counts until it can land no more, as one without a response does', async () => {
  const user = await someone();
  await limitUser(user, { userUsdc: 150n * million });
  const one = await bought(user);
  node.lie = async ({ method }, ask) => {
    if (method === 'sendTransaction')
      throw new Refused(-32002, 'Transaction simulation failed: InsufficientFunds');
    return ask();
  };
  expect((await one.submit()).status).toBe(400);
  expect((await usedBy(user)).usdc).toBe(100n * million);
  node.lie = async ({ method }, ask) => (method === 'sendTransaction' ? hang : ask());
  expect((await one.submit()).status).toBe(503);
  expect((await usedBy(user)).usdc).toBe(100n * million);
  node.lie = losing;
  await eventually(async () => {
    t.chain.node.warp({ seconds: 100 });
    expect(await usedBy(user)).toEqual({ usdc: 0n, gold: 0n });
  }, 30_000);
  node.lie = undefined;
});

test('a repeat that the node refuses still counts while the first sending may land', async () => {
  const user = await someone();
  // Quotes of before a limit are not reserved.
  const [one, two] = [await bought(user), await bought(user)];
  await limitUser(user, { userUsdc: 150n * million });
  node.lie = losing;
  expectStatus(await one.submit(), 200);
  node.lie = async ({ method }, ask) => {
    if (method === 'sendTransaction')
      throw new Refused(-32002, 'Transaction simulation failed: InsufficientFunds');
    return ask();
  };
  // In words that are not understood, of bytes that were sent before.
  for (let tries = 0; tries < 2; tries += 1) expect((await one.submit()).status).toBe(200);
  expect((await usedBy(user)).usdc).toBe(100n * million);
  expect(await two.submit()).toMatchObject(refusedBy('user_daily_usdc', { used: 100 }));
  node.lie = undefined;
  await t.chain.sendStraight(one.signed);
  await recorded(one.id);
  expect((await usedBy(user)).usdc).toBe(100n * million);
});

test('a quote that has ended is not counted when it is sent again', async () => {
  const user = await someone();
  await limitUser(user, { userUsdc: 150n * million });
  for (const status of ['expired', 'landed']) {
    node.lie = undefined;
    const one = await bought(user);
    node.lie = losing;
    expectStatus(await one.submit(), 200);
    const id = asTradeId(one.id);
    if (!id) throw new Error('no id');
    await releaseVelocity(t.service.ctx.db, [id]);
    await t.service.ctx.sql`update submissions set status = ${status} where quote_id = ${uuidOf(id)}`;
    expectStatus(await one.submit(), 200);
    expect(await usedBy(user)).toEqual({ usdc: 0n, gold: 0n });
  }
  node.lie = undefined;
});

test('a repeat that waits while the indexer commits the trade does not count again', async () => {
  const user = await someone();
  const { ctx } = t.service;
  await limitUser(user, { userUsdc: 150n * million });
  const one = await bought(user);
  await t.chain.sendStraight(one.signed);
  const { body } = await recorded(one.id);
  const once = await usedBy(user);
  const id = asTradeId(one.id);
  if (!id) throw new Error('no id');
  const moved = {
    quoteId: id,
    userId: user.id,
    partnerId: t.partner.partnerId,
    usdc: 100n * million,
    gold: 0n,
  };
  // The trade as it is before the indexer commits it.
  const kept = await findTrade(ctx.db, id);
  if (!kept) throw new Error('no row');
  await ctx.db.transaction(async (tx) => {
    await deleteTrade(tx, kept);
    await uncountVelocity(tx, movedBy(kept), kept.createdAt);
  });
  expect((await usedBy(user)).usdc).toBe(0n);
  let repeat: Promise<unknown> | undefined;
  await ctx.db.transaction(async (tx) => {
    await insertTrades(tx, [kept], kept.createdAt);
    await countVelocity(tx, [{ ...moved, gold: once.gold }], now());
    repeat = ctx.db.transaction((other) => claimVelocity(other, moved, now()));
    await eventually(async () => {
      const [waiting] =
        await ctx.sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%velocity_claims%'`;
      if (!waiting) throw new Error('nothing waits yet');
    }, 10_000);
  });
  expect(await repeat).toBeUndefined();
  expect(await usedBy(user)).toEqual(once);
  expect(body.status).toBe('confirmed');
});

test('a claim that commits while the indexer waits for it is released by the indexer', async () => {
  const user = await someone();
  const { ctx } = t.service;
  const moved = {
    quoteId: newId('trd'),
    userId: user.id,
    partnerId: t.partner.partnerId,
    usdc: million,
    gold: 0n,
  };
  let counting: Promise<unknown> | undefined;
  await ctx.db.transaction(async (tx) => {
    await claimVelocity(tx, moved, now());
    counting = ctx.db.transaction((other) => countVelocity(other, [moved], now()));
    await eventually(async () => {
      const [waiting] =
        await ctx.sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%velocity_claims%'`;
      if (!waiting) throw new Error('nothing waits yet');
    }, 10_000);
  });
  await counting;
  expect((await usedBy(user)).usdc).toBe(million);
});

test('a trade that fails on chain does not count', async () => {
  const user = await someone();
  await limitUser(user, { userUsdc: 150n * million });
  const one = await bought(user);
  node.lie = losing;
  expectStatus(await one.submit(), 200);
  node.lie = undefined;
  await t.chain.node.setTokenBalance(user.wallet.address, t.chain.usdcMint, 0n);
  await t.chain.landed(await t.chain.sendStraight(one.signed));
  t.chain.node.warp({ slots: 40 });
  expect((await recorded(one.id)).body.status).toBe('failed');
  expect(await usedBy(user)).toEqual({ usdc: 0n, gold: 0n });
});

test('a limit of the partner holds for its users together, and one of its own for a user alone', async () => {
  const partner = t.partner.partnerId;
  const before = await used(partner);
  const [one, other] = [await someone(), await someone()];
  await set('partner', partner, { partnerUsdc: before.usdc + 150n * million, userUsdc: 120n * million });
  expectStatus(await (await bought(one)).submit(), 200);
  expect(await quoteFor(other)).toMatchObject(refusedBy('partner_daily_usdc'));
  expect(await quoteFor(one, 50)).toMatchObject(refusedBy('user_daily_usdc', { amount: 120, used: 100 }));
  expectStatus(await quoteFor(other, 50), 200);
  // That quote has the rest until it lapses.
  expect(await quoteFor(other, 1)).toMatchObject(refusedBy('partner_daily_usdc', { reserved: 50 }));
  await set('partner', partner, { partnerUsdc: before.usdc + 200n * million, userUsdc: 120n * million });
  await limitUser(one, { userUsdc: 150n * million });
  expectStatus(await quoteFor(one, 50), 200);
  expect((await used(partner)).usdc).toBe(before.usdc + 100n * million);
});

// Behind what counts for the partner: the chain still has the trade, so it is recorded and counted again.
test('a trade that never came through the service counts, and one that the chain drops no longer does', async () => {
  const user = await someone();
  const one = await bought(user);
  await limitUser(user, { userUsdc: 50n * million });
  await t.chain.sendStraight(one.signed);
  await recorded(one.id);
  expect(await quoteFor(user, 1)).toMatchObject(refusedBy('user_daily_usdc', { amount: 50, used: 100 }));
  const id = asTradeId(one.id);
  const row = id && (await findTrade(t.service.ctx.db, id));
  if (!row) throw new Error('no row');
  for (const record of await findUnfinalizedOf(t.service.ctx.db, row.txSignature))
    await takeBack(t.service.ctx, record, 'take back');
  expect(await usedBy(user)).toEqual({ usdc: 0n, gold: 0n });
});

test('a redemption counts in gold from its submission on', async () => {
  const user = await someone();
  await limitUser(user, { userGold: 1n * million });
  const quote = await t.partner.client.post('/v1/redemptions', {
    service_user_id: user.id,
    denomination_id: tola.id,
    city: tola.city,
  });
  const { redemption_id: id, partially_signed_transaction: base64 } = expectStatus(quote, 201).body;
  const signed_tx = Buffer.from(cosign(Buffer.from(base64, 'base64'), [user.wallet])).toString('base64');
  expectStatus(await t.partner.client.post(`/v1/redemptions/${id}/submit`, { signed_tx }), 200);
  expect(await usedBy(user)).toEqual({ usdc: 0n, gold: 380_625n });
  await eventually(
    async () => expectStatus(await t.partner.client.get(`/v1/redemptions/${id}`), 200),
    20_000,
  );
  expect(await usedBy(user)).toEqual({ usdc: 0n, gold: 380_625n });
});

describe('quotes that count until they can land no more', () => {
  /** Ten quotes of 100 USDC that are requested at the same time, those that were granted signed by all. */
  async function tenQuotes(user: GivenUser) {
    const responses = await Promise.all(Array.from({ length: 10 }, () => quoteFor(user)));
    const granted = responses.flatMap(({ status, body }) => (status === 200 ? [body] : []));
    const refusals = responses.filter(({ status }) => status !== 200);
    for (const refusal of refusals) expect(refusal).toMatchObject(refusedBy('user_daily_usdc'));
    const signed = granted.map(({ trade_id: id, partially_signed_transaction: wire }) => ({
      id: id as string,
      transaction: cosign(Buffer.from(wire, 'base64'), [t.partner.wallet, user.wallet]),
    }));
    return { signed, refusals };
  }

  test('ten quotes that are sent straight to a node do not pass the limit', async () => {
    const user = await someone();
    await limitUser(user, { userUsdc: 450n * million });
    const { signed } = await tenQuotes(user);
    for (const { transaction } of signed) await t.chain.landed(await t.chain.sendStraight(transaction));
    for (const { id } of signed) await recorded(id);
    expect((await usedBy(user)).usdc).toBe(400n * million);
    expect(signed).toHaveLength(4);
    // They count once: what was recorded is not reserved any more.
    expect(await quoteFor(user, 50.000001)).toMatchObject(
      refusedBy('user_daily_usdc', { used: 400, reserved: 0 }),
    );
    expectStatus(await quoteFor(user, 50), 200);
  });

  test('a quote that is not used gives its room back once it can land no more', async () => {
    const user = await someone();
    await limitUser(user, { userUsdc: 150n * million });
    const { expires_at: expiresAt } = expectStatus(await quoteFor(user, 100), 200).body;
    const refusal = await quoteFor(user, 100);
    const lapsesAt = Math.ceil(Date.parse(expiresAt) / 1_000) * 1_000 + 30_000;
    expect(refusal).toMatchObject(
      refusedBy('user_daily_usdc', {
        used: 0,
        reserved: 100,
        requested: 100,
        available_at: new Date(lapsesAt).toISOString(),
      }),
    );
    expect(refusal.body.message).toContain(
      'may move 150 USDC in 24 hours and moved 0 USDC, and open quotes may move 100 USDC; this moves up to 100 USDC.',
    );
    expectStatus(await quoteFor(user, 50), 200);
    const moved = await usedBy(user);
    expect(moved).toEqual({ usdc: 0n, gold: 0n });
    t.chain.node.warp({ seconds: 95 });
    await eventually(async () => expectStatus(await quoteFor(user, 150), 200), 20_000);
  });

  test('a quote whose submission the node refused still counts: it can be sent to another one', async () => {
    const user = await someone();
    await limitUser(user, { userUsdc: 150n * million });
    const one = await bought(user);
    await t.chain.node.setTokenBalance(user.wallet.address, t.chain.usdcMint, 0n);
    expect((await one.submit()).status).toBe(400);
    expect(await quoteFor(user, 100)).toMatchObject(refusedBy('user_daily_usdc', { used: 100, reserved: 0 }));
  });

  test('a quote that another process submits counts once, a round later', async () => {
    const { ctx } = t.service;
    const user = await someone();
    await limitUser(user, { userUsdc: 1_000n * million });
    const one = await bought(user);
    const id = asTradeId(one.id);
    if (!id) throw new Error('no id');
    const reserved = async () => {
      const rows = await ctx.sql`select usdc from velocity_reservations where owner_id = ${uuidOf(user.id)}`;
      return rows.map(({ usdc }) => BigInt(usdc));
    };
    await eventually(async () => expect(await reserved()).toEqual([100n * million]), 5_000);
    const moved = {
      quoteId: id,
      userId: user.id,
      partnerId: t.partner.partnerId,
      usdc: 100n * million,
      gold: 0n,
    };
    await ctx.db.transaction((tx) => claimVelocity(tx, moved, now()));
    await ctx.reservations.refresh();
    await eventually(async () => expect(await reserved()).toEqual([0n]), 5_000);
    expect((await usedBy(user)).usdc).toBe(100n * million);
    await releaseVelocity(ctx.db, [id]);
  });

  test('quotes that could not be signed do not count', async () => {
    const { ctx } = t.service;
    const user = await someone();
    await limitUser(user, { userUsdc: 150n * million, userGold: 500_000n });
    const redeem = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
    const { sign } = ctx.chain.signer;
    ctx.chain.signer.sign = () => Promise.reject(unavailable('the token is busy'));
    try {
      for (let tried = 0; tried < 3; tried += 1) expect((await quoteFor(user, 40)).status).toBe(503);
      expect((await t.partner.client.post('/v1/redemptions', redeem)).status).toBe(503);
    } finally {
      ctx.chain.signer.sign = sign;
    }
    expectStatus(await quoteFor(user, 40), 200);
    expectStatus(await t.partner.client.post('/v1/redemptions', redeem), 201);
  });

  test('a redemption that is quoted counts as well', async () => {
    const user = await someone();
    await limitUser(user, { userGold: 500_000n });
    const redeem = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
    expectStatus(await t.partner.client.post('/v1/redemptions', redeem), 201);
    expect(await t.partner.client.post('/v1/redemptions', redeem)).toMatchObject(
      refusedBy('user_daily_gold', { used: 0, reserved: 0.380625 }),
    );
  });

  test('what other processes have reserved counts until its last quote can land no more, also if they are gone', async () => {
    const user = await someone();
    await limitUser(user, { userUsdc: 450n * million });
    const lapsesAt = new Date(t.service.ctx.clock.now() + 60_000);
    const row = { ownerId: uuidOf(user.id), usdc: 200n * million, gold: 0n, version: 1, lapsesAt };
    for (const processId of [newUuid(), newUuid()])
      await writeReservations(t.service.ctx.db, [{ ...row, processId }]);
    expect(await quoteFor(user, 51)).toMatchObject(
      refusedBy('user_daily_usdc', { reserved: 400, available_at: lapsesAt.toISOString() }),
    );
    expectStatus(await quoteFor(user, 50), 200);
    t.chain.node.warp({ seconds: 95 });
    await eventually(async () => expectStatus(await quoteFor(user, 450), 200), 20_000);
  });

  test('a quote far from the limit waits for no write, and one near it does', async () => {
    const user = await someone();
    await limitUser(user, { userUsdc: 1_000n * million });
    expectStatus(await quoteFor(user, 100), 200);
    const reserved = async () => {
      const rows = await t.service.ctx.sql`
        select usdc from velocity_reservations where owner_id = ${uuidOf(user.id)}`;
      return rows.map(({ usdc }) => BigInt(usdc));
    };
    await eventually(async () => expect(await reserved()).toEqual([100n * million]), 5_000);
    let near: ReturnType<typeof quoteFor> | undefined;
    await t.service.ctx.db.transaction(async (tx) => {
      await tx.execute(sql`lock table velocity_reservations, velocity_usage in exclusive mode`);
      expectStatus(await quoteFor(user, 100), 200);
      near = quoteFor(user, 500);
      const first = await Promise.race([near.then(() => 'near'), pause(300, undefined).then(() => 'time')]);
      expect(first).toBe('time');
    });
    expectStatus((await near) ?? ({ status: 0, body: {} } as never), 200);
    await eventually(async () => expect(await reserved()).toEqual([700n * million]), 5_000);
  });
});

describe('amounts that count towards a limit', () => {
  const at = (hour: number) => new Date(hour * 3_600_000 + 1);
  const claim = (hour: number, userId: UserId, usdc: bigint) => {
    const quoteId = newId('trd');
    const moved = { quoteId, userId, partnerId: newUuid(), usdc, gold: 0n };
    return t.service.ctx.db.transaction(async (tx) => ({
      quoteId,
      windows: await claimVelocity(tx, moved, at(hour)),
    }));
  };
  const usedIn = async (userId: UserId, hour: number) =>
    usedOf(await findUsage(t.service.ctx.db, uuidOf(userId)), 'usdc', at(hour).getTime());

  test('amounts that count move on by the hour, and a release is taken from the hour in which it was counted', async () => {
    const user = newId('gu');
    const first = await claim(1_000, user, 1n);
    await claim(1_010, user, 10n);
    const third = await claim(1_023, user, 100n);
    expect(await usedIn(user, 1_023)).toBe(111n);
    await claim(1_024, user, 1_000n);
    expect(await usedIn(user, 1_024)).toBe(1_110n);
    // Too old to count: nothing to take.
    await releaseVelocity(t.service.ctx.db, [first.quoteId]);
    expect(await usedIn(user, 1_024)).toBe(1_110n);
    await releaseVelocity(t.service.ctx.db, [third.quoteId, third.quoteId]);
    expect(await usedIn(user, 1_024)).toBe(1_010n);
    await releaseVelocity(t.service.ctx.db, [third.quoteId]);
    expect(await usedIn(user, 1_024)).toBe(1_010n);
    // A process whose clock is behind.
    await claim(1_020, user, 5n);
    expect(await usedIn(user, 1_024)).toBe(1_015n);
    await claim(2_000, user, 7n);
    expect(await usedIn(user, 2_000)).toBe(7n);
    await t.service.ctx.sql`delete from velocity_claims`;
  });
});
