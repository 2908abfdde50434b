import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveReconciliation } from '../../../src/db/treasury/reconciliations.js';
import { type Indexer, startIndexer } from '../../../src/indexer/index.js';
import { type Keeper, startKeeper } from '../../../src/keeper/index.js';
import { type Harness, harness } from '../../harness.js';
import { attestedGold, eventually, type KaratChain, startKaratChain, usualPrice } from '../../karat-chain.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let karat: KaratChain;
let h: Harness;
let operators: Operators;
let indexer: Indexer;
let keeper: Keeper | undefined;
beforeAll(async () => {
  karat = await startKaratChain({ slotMs: 40 });
  h = await harness({ clock: karat.clock, config: karat.config });
  operators = await startOperators(h);
  await seedDenominations(h);
  await h.ctx.chain.start();
  indexer = startIndexer(h.ctx, { pollMs: 50, idlePollMs: 100, electionMs: 100, completeMs: 200 });
});
afterAll(async () => {
  await keeper?.stop();
  await indexer.stop();
  await operators.close();
  await h.close();
  await karat.stop();
});

const read = async (path: string) => (await operators.by.viewer.client.get(`${operatorBase}${path}`)).body;

test('the price is fresh, stale or unavailable, with what the oracle gives', async () => {
  await eventually(async () => {
    expect(await read('/price')).toEqual({
      price: 4100.12,
      confidence: 0.8,
      publish_time: expect.stringMatching(/^\d{4}-.*Z$/),
      age_seconds: expect.any(Number),
      status: 'fresh',
      fault: null,
      market: 'open',
    });
  }, 20_000);
  karat.price.freeze();
  const publishTimeSeconds = BigInt(karat.node.nowUnixSeconds()) - 100_000n;
  karat.price.set({ ...usualPrice, publishTimeSeconds });
  await eventually(async () => {
    const stale = await read('/price');
    expect(stale).toMatchObject({
      price: 4100.12,
      status: 'stale',
      fault: expect.stringContaining('The oracle price is stale'),
      publish_time: new Date(Number(publishTimeSeconds) * 1_000).toISOString(),
    });
    expect(stale.age_seconds).toBeGreaterThanOrEqual(100_000);
  }, 20_000);
  karat.price.set({ ...usualPrice, price: 0n });
  await eventually(async () => {
    expect(await read('/price')).toMatchObject({ price: null, age_seconds: null, status: 'unavailable' });
  }, 20_000);
  karat.price.set(usualPrice);
  karat.price.thaw();
});

test('GET /indexer: how far the chain is recorded, whether all of it is, and the open dead letters', async () => {
  await eventually(async () => {
    const state = await read('/indexer');
    expect(state).toEqual({
      slot: expect.any(Number),
      complete_slot: expect.any(Number),
      missing: null,
      missing_seconds: null,
      lag_seconds: expect.any(Number),
      last_seen_at: expect.stringMatching(/Z$/),
      led: true,
      dead_letters: 0,
    });
    expect(state.lag_seconds).toBeLessThan(60);
  }, 60_000);
  await h.ctx.sql`
    insert into dead_letters (id, signature, slot, reason, detail, created_at)
    values (gen_random_uuid(), sha512('x'), 1, 'undecodable', '{}', now())`;
  expect(await read('/indexer')).toMatchObject({ dead_letters: 1 });
  await h.ctx.sql`truncate dead_letters`;
});

test('the treasury shows what the treasury accounts hold and need; a difference is found and reported', async () => {
  const user = await h.givenUser(h.main.partnerId);
  const owner = { partner: h.main, user };
  const held = { treasury: { gold: 1_000, usdc: 1_000_000 }, fee: { usdc: 0 } };
  expect(await read('/treasury')).toEqual({
    ...held,
    escrow: { gold: 0, needed: 0, surplus: 0 },
    backing: {
      covered: false,
      supply: 1_000,
      attested: Number(attestedGold / 1_000_000n),
      as_of: expect.stringMatching(/^\d{4}-.*Z$/),
      burned: 0,
      burned_since: 0,
      backed: Number(attestedGold / 1_000_000n),
      attested_surplus: Number(attestedGold / 1_000_000n) - 1_000,
      attestation_stale: false,
      ...{ bars: 0, bars_gold: 0, awaiting_burn: 0, bars_surplus: -1_000 },
      slot: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
    limits: {
      daily_outflow_usdc: { limit: 'none', used: 0 },
      daily_outflow_gold: { limit: 'none', used: 0 },
      daily_mint: { limit: 'none', used: 0 },
    },
    difference: null,
    differences: null,
    compared_at: null,
    compared_slot: null,
  });
  keeper = startKeeper(h.ctx, { pollMs: 50, electionMs: 100, reconcileMs: 0 });
  await eventually(async () => {
    expect(await read('/treasury')).toMatchObject({
      ...held,
      difference: { gold: 0, usdc: 0 },
      differences: 0,
      compared_slot: expect.any(Number),
    });
  }, 60_000);

  const { escrowAuthority, treasuryAuthority } = karat.addresses;
  await karat.node.setTokenBalance(escrowAuthority, karat.goldMint, 250_000n);
  await karat.node.setTokenBalance(treasuryAuthority, karat.usdcMint, 999_999_000_000n);
  await givenRedemption(h, owner, { status: 'ready' });
  // With the treasury's 1,000 and the escrow's quarter there is more than is attested.
  await karat.node.setTokenBalance(user.wallet.address, karat.goldMint, attestedGold);
  await eventually(async () => {
    expect(await read('/treasury')).toMatchObject({
      treasury: { gold: 1_000, usdc: 999_999 },
      escrow: { gold: 0.25, needed: 0.380625, surplus: -0.130625 },
      backing: { supply: 1_000_001_000.25, attested: 1_000_000_000, attested_surplus: -1_000.25 },
      difference: { gold: 0.25, usdc: -1 },
      differences: 4,
    });
  }, 60_000);
  const deadLetters = (await read('/dead-letters?open=true')).dead_letters;
  expect(deadLetters.map(({ detail }: { detail: object }) => detail)).toEqual(
    expect.arrayContaining([
      { kinds: ['balance_differs'], unexplained: { escrow_gold: '250000' } },
      { kinds: ['balance_differs'], unexplained: { treasury_usdc: '-1000000' } },
      {
        kinds: ['escrow_differs'],
        unexplained: {},
        ...{ held: '250000', open: '380625', recorded: '380625' },
      },
      {
        kinds: ['supply_above_attested'],
        unexplained: {},
        supply: '1000001000250000',
        attested: '1000000000000000',
        burned_since: '0',
      },
    ]),
  );
  // Shown a moment after the comparison itself is kept.
  await eventually(async () => {
    const [report] = await h.ctx
      .sql`select status, value, detail from keeper_reports where name = 'reconciliation_differences'`;
    expect(report).toMatchObject({
      status: 'critical',
      value: '4',
      detail: expect.stringContaining('2 balances that no transaction explains'),
    });
  }, 10_000);
}, 150_000);

test('a comparison of an older slot replaces nothing', async () => {
  const row = { at: new Date(), goldDifference: 5n, usdcDifference: 0n, differences: 1 };
  await keeper?.stop();
  keeper = undefined;
  const { backing: _now, ...before } = await read('/treasury');
  await h.ctx.db.transaction((tx) => saveReconciliation(tx, { ...row, slot: 1n }));
  expect(await read('/treasury')).toMatchObject(before);
});

test('the treasury is readable for all roles, and a node that is down is reported as such', async () => {
  for (const { client } of Object.values(operators.by)) {
    for (const path of ['/price', '/indexer', '/treasury']) {
      expect(await client.get(`${operatorBase}${path}`)).toMatchObject({ status: 200 });
    }
  }
  await karat.injectFault({ method: 'getMultipleAccounts', mode: 'error', times: 1_000 });
  expect(await operators.by.viewer.client.get(`${operatorBase}/treasury`)).toMatchObject({
    status: 503,
    body: { error: 'service_unavailable', message: expect.stringContaining('what the treasury holds') },
  });
  await karat.clearFaults();
});
