import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBacking } from '../../src/actions/reserves/read-backing.js';
import { findKeeperReports } from '../../src/db/market/keeper-reports.js';
import { buildApp } from '../../src/http/app.js';
import { buildMetricsApp } from '../../src/http/server/metrics.js';
import { startKeeper } from '../../src/keeper/index.js';
import { clientOf, expectStatus, newWallet } from '../harness.js';
import { type Karat, startKarat } from '../karat.js';
import { attestedGold, eventually, finalize } from '../karat-chain.js';
import { operatorBase, startOperators } from '../operators.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';

/** What is compared of tokens, attestation and bars at any moment: for the public, for operators and by the keeper. */
let t: Karat;
beforeAll(async () => {
  t = await startKarat();
  await seedDenominations(t.service);
  await t.given.bars(40);
  await finalize(t.chain, t.service.ctx);
});
afterAll(() => t?.stop());

/** 40 bars of a kilogram, 999.9 fine. */
const inBars = 1_285.901259;
const supply = 1_000;

/** A public client of another process, which has read nothing yet. */
async function live() {
  const app = await buildApp(t.service.ctx);
  try {
    return await clientOf(app, {}).get('/v1/reserves/live');
  } finally {
    await app.close();
  }
}

test('everyone can read whether the tokens are covered now', async () => {
  const response = expectStatus(await live(), 200);
  expect(response.headers['cache-control']).toBe('public, max-age=10');
  expect(response.body).toEqual({
    covered: true,
    supply,
    attested: Number(attestedGold) / 1e6,
    as_of: expect.stringMatching(/Z$/),
    burned: 0,
    burned_since: 0,
    backed: Number(attestedGold) / 1e6,
    attested_surplus: Number(attestedGold) / 1e6 - supply,
    attestation_stale: false,
    bars: 40,
    bars_gold: inBars,
    awaiting_burn: 0,
    bars_surplus: expect.closeTo(inBars - supply, 6),
    slot: expect.any(Number),
    at: expect.stringMatching(/Z$/),
  });
});

test('operators read the same with the treasury', async () => {
  const { at: _at, slot: _slot, ...public_ } = (await live()).body;
  const operators = await startOperators(t.service);
  const { client } = operators.by.viewer;
  const { backing } = expectStatus(await client.get(`${operatorBase}/treasury`), 200).body;
  await operators.close();
  expect(backing).toMatchObject(public_);
});

test('many readers cause one look at the node', async () => {
  const app = await buildApp(t.service.ctx);
  try {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => clientOf(app, {}).get('/v1/reserves/live')),
    );
    expect(new Set(responses.map(({ body }) => body.at)).size).toBe(1);
  } finally {
    await app.close();
  }
});

test('a node that does not respond is 503, and nothing of it is kept', async () => {
  await t.chain.injectFault({ method: 'getMultipleAccounts', mode: 'error', times: 100 });
  expect((await live()).status).toBe(503);
  await t.chain.clearFaults();
  await eventually(async () => expectStatus(await live(), 200));
});

test('a bar that is handed over leaves the vault, and its tokens wait to be burned', async () => {
  const { service, partner, user } = t;
  const before = await readBacking(service.ctx);
  await givenRedemption(service, { partner, user }, { status: 'collected' });
  await finalize(t.chain, service.ctx);
  const after = await readBacking(service.ctx);
  expect(after.awaitingBurn).toBe(380_625n);
  expect(after.barsSurplus - before.barsSurplus).toBe(380_625n);
  await givenRedemption(service, { partner, user }, { status: 'collected', bar: 'AA0' });
  expect((await readBacking(service.ctx)).bars.count).toBe(39);
});

test('the keeper reports within a round that more tokens exist than are backed, and measures by how much', async () => {
  const { ctx } = t.service;
  const reported = async (name: string) => (await findKeeperReports(ctx.db)).find((one) => one.name === name);
  const measured = async (what: RegExp) => {
    const app = await buildMetricsApp(ctx);
    try {
      return Number(
        what.exec((await app.inject({ method: 'GET', url: '/metrics' })).body)?.[1] ?? Number.NaN,
      );
    } finally {
      await app.close();
    }
  };
  const keeper = startKeeper(ctx, { backingMs: 100 });
  try {
    await eventually(async () => {
      expect(await reported('attested_surplus_gold')).toMatchObject({ status: 'ok' });
      expect(await reported('bars_surplus_gold')).toMatchObject({ status: 'ok' });
      expect(await reported('attestation_age_seconds')).toMatchObject({ status: 'ok' });
    });
    await t.chain.node.setTokenBalance(newWallet().address, t.chain.goldMint, attestedGold);
    await finalize(t.chain, ctx);
    await eventually(async () => {
      expect(await reported('attested_surplus_gold')).toMatchObject({
        status: 'critical',
        value: `-${supply}`,
        detail: `1000001000 GOLD exist, and 1000000000 oz are attested less 0 burned since, which is 1000000000.`,
      });
      expect(await reported('bars_surplus_gold')).toMatchObject({ status: 'critical' });
    });
    expect(await measured(/^karat_backing_surplus_gold\{.*by="attestation".*\} (.+)$/m)).toBe(-supply);
    expect(await measured(/^karat_backing_surplus_gold\{.*by="bars".*\} (.+)$/m)).toBeLessThan(-1e8);
    expect(await measured(/^karat_attestation_age_seconds(?:\{.*\})? (.+)$/m)).toBeGreaterThan(0);
    t.chain.node.warp({ seconds: 93 * 86_400 });
    await eventually(async () => {
      expect(await reported('attestation_age_seconds')).toMatchObject({ status: 'critical' });
    });
  } finally {
    await keeper.stop();
  }
});
