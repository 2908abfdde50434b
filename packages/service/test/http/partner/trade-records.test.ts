import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quoteSell } from '../../../src/domain/quote.js';
import { type Indexer, startIndexer } from '../../../src/indexer/index.js';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus } from '../../harness.js';
import { HttpRefusal, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, finalize, usualPrice } from '../../karat-chain.js';

/** What the whole way leaves behind: quote, submit or not, the chain, the indexer, the record. */
let t: Karat;
let indexer: Indexer;
/** Between the service and its node. */
let node: LyingNode;

beforeAll(async () => {
  t = await startKarat({
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 50_000_000n);
  indexer = startIndexer(t.service.ctx, {
    pollMs: 50,
    idlePollMs: 1_000,
    finalAfterMs: 0,
    electionMs: 1_000,
  });
});
afterAll(async () => {
  await indexer.stop();
  await t.stop();
  await node.close();
});

/** Lets a failure become final, before which it is not recorded. */
const failsFinally = async (txHash: string) => {
  expect((await t.chain.landed(txHash)).meta.err).not.toBeNull();
  await finalize(t.chain, t.service.ctx);
};
const recordOf = (tradeId: string) =>
  eventually(async () => expectStatus(await t.partner.client.get(`/v1/trades/${tradeId}`), 200).body, 10_000);

/** What the user's and the treasury's balances changed by. */
async function moved(steps: () => Promise<void>) {
  const before = await t.balances();
  await steps();
  const after = await t.balances();
  const change = (name: 'user' | 'treasury', mint: 'usdc' | 'gold') => after[name][mint] - before[name][mint];
  return {
    user: { usdc: change('user', 'usdc'), gold: change('user', 'gold') },
    treasury: { usdc: change('treasury', 'usdc'), gold: change('treasury', 'gold') },
  };
}

/** The node takes what it is sent without trying it first, as if the chain had changed between the two. */
async function withoutPreflight(steps: () => Promise<void>): Promise<void> {
  const { rpcUrl } = t.chain.node;
  node.lie = async ({ method, params }, ask) => {
    if (method !== 'sendTransaction') return ask();
    const [transaction, options] = params;
    const unchecked = [transaction, { ...options, skipPreflight: true }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: unchecked });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(rpcUrl, { method: 'POST', headers, body });
    return ((await response.json()) as { result: unknown }).result;
  };
  await steps();
  node.lie = undefined;
}

describe('a sell', () => {
  test.each([
    ['by default', {}],
    ['with a slippage', { slippage_bps: 0 }],
    ['with a floor of its own', { min_usdc_out: 500 }],
    ['with a floor that is exactly met', { min_usdc_out: 509.952425 }],
  ])('a sell moves the quoted amounts and is recorded as quoted: %s', async (_, floor) => {
    const goldIn = 125_000n;
    const { gross, fee, usdcOut } = quoteSell({ goldIn, feeBps: 50, ...usualPrice });
    const { tradeId, transaction, response } = await t.sell.quoted({ gold_amount: 0.125, ...floor });
    expect(response.body.quote).toMatchObject({ usdc_amount: 509.952425, fee_usd: 2.562575 });
    let txHash = '';
    const changes = await moved(async () => {
      const { body } = expectStatus(await t.sell.submit(tradeId, t.signed(transaction)), 200);
      expect(body.trade_id).toBe(tradeId);
      txHash = body.tx_hash;
      await t.chain.landed(txHash);
    });
    expect(changes).toEqual({
      user: { usdc: usdcOut, gold: -goldIn },
      treasury: { usdc: -gross, gold: goldIn },
    });
    expect(gross).toBe(usdcOut + fee);
    expect(await recordOf(tradeId)).toEqual({
      trade_id: tradeId,
      side: 'sell',
      status: 'confirmed',
      usdc_amount: 509.952425,
      gold_amount: 0.125,
      price_per_troy_oz: 4100.12,
      fee_bps: 50,
      fee_usd: 2.562575,
      submitted_tx_hash: txHash,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  test('below its floor, or of gold that is not there, is refused by name and leaves no record', async () => {
    const changes = await moved(async () => {
      const floored = await t.sell.quoted({ gold_amount: 0.125, min_usdc_out: 509.952426 });
      expect(await t.sell.submit(floored.tradeId, t.signed(floored.transaction))).toMatchObject({
        status: 400,
        body: {
          error: 'broadcast_failed',
          message: expect.stringMatching(
            /^[^:]+: SlippageExceeded: .* The price is beyond what the quote accepts: /,
          ),
        },
      });
      const poor = await t.given.user();
      await t.chain.node.setTokenBalance(poor.wallet.address, t.chain.goldMint, 124_999n);
      const short = await t.sell.quoted({ service_user_id: poor.id, gold_amount: 0.125 });
      const signed = cosign(short.transaction, [t.partner.wallet, poor.wallet]);
      expect(await t.sell.submit(short.tradeId, signed)).toMatchObject({
        status: 400,
        body: { error: 'broadcast_failed', message: expect.stringContaining('InsufficientFunds') },
      });
      for (const { tradeId } of [floored, short]) {
        expect((await t.partner.client.get(`/v1/trades/${tradeId}`)).status).toBe(404);
      }
    });
    expect(changes.user).toEqual({ usdc: 0n, gold: 0n });
  });

  test('a sell goes through at a better price than quoted, and the record has that of the execution', async () => {
    const { tradeId, transaction } = await t.sell.quoted({ gold_amount: 0.125 });
    t.chain.price.set({ ...usualPrice, price: 413_000_000_000n });
    expectStatus(await t.sell.submit(tradeId, t.signed(transaction)), 200);
    const { usdcOut, fee } = quoteSell({
      goldIn: 125_000n,
      feeBps: 50,
      price: 413_000_000_000n,
      exponent: -8,
    });
    expect(await recordOf(tradeId)).toMatchObject({
      price_per_troy_oz: 4130,
      usdc_amount: Number(usdcOut) / 1e6,
      fee_usd: Number(fee) / 1e6,
    });
    t.chain.price.set(usualPrice);
  });
});

describe.each([
  ['buy', { usdc_amount: 100.25, min_gold_out: 1 }, { usdc_amount: 100.25, gold_amount: 0 }],
  ['sell', { gold_amount: 0.125, min_usdc_out: 9_999 }, { usdc_amount: 0, gold_amount: 0.125 }],
] as const)('a %s that fails on the chain', (side, body, known) => {
  const failed = (tradeId: string, txHash: string) => ({
    trade_id: tradeId,
    side,
    status: 'failed',
    ...known,
    price_per_troy_oz: 0,
    fee_bps: 0,
    fee_usd: 0,
    submitted_tx_hash: txHash,
    reason: 'slippage_exceeded',
    program_error_name: 'SlippageExceeded',
    message: expect.stringMatching(
      /No price meets its min_(gold|usdc)_out of \d+, because the most that it gives is its max_\1_out of \d+\.\d+: request a new quote/,
    ),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });

  test('a failed trade is recorded with the side of its memo and nothing else, having come through submit', async () => {
    await eventually(async () => {
      expect((await t[side].quote()).body.quote.price_per_troy_oz).toBe(4100.12);
    }, 10_000);
    const { tradeId, transaction } = await t[side].quoted(body);
    const signed = t.signed(transaction);
    let txHash = '';
    const changes = await moved(async () => {
      await withoutPreflight(async () => {
        txHash = expectStatus(await t[side].submit(tradeId, signed), 200).body.tx_hash;
      });
      await failsFinally(txHash);
      expect(await recordOf(tradeId)).toEqual(failed(tradeId, txHash));
    });
    expect(changes.user).toEqual({ usdc: 0n, gold: 0n });
    // Another submit gets the same response, and the record stays.
    expect(await t[side].submit(tradeId, signed)).toMatchObject({ status: 200, body: { tx_hash: txHash } });
    expect(await recordOf(tradeId)).toEqual(failed(tradeId, txHash));
  });

  test('a failed trade is recorded alike when it was sent straight to a node', async () => {
    const { tradeId, transaction } = await t[side].quoted(body);
    const changes = await moved(async () => {
      const txHash = await t.chain.sendStraight(t.signed(transaction));
      await failsFinally(txHash);
      expect(await recordOf(tradeId)).toEqual(failed(tradeId, txHash));
    });
    expect(changes.user).toEqual({ usdc: 0n, gold: 0n });
  });

  test('a good trade is recorded alike when it was sent straight to a node', async () => {
    const { tradeId, transaction } = await t[side].quoted();
    const txHash = await t.chain.sendStraight(t.signed(transaction));
    expect(await recordOf(tradeId)).toMatchObject({ side, status: 'confirmed', submitted_tx_hash: txHash });
  });
});

test('a node that refuses every call as too many is left alone, and all goes on once it takes them', async () => {
  const users = Array.from({ length: 8 }, () => t.buy.quoted());
  const quotes = await Promise.all(users);
  const submit = ({ tradeId, transaction }: (typeof quotes)[number]) =>
    t.buy.submit(tradeId, t.signed(transaction));
  node.calls.clear();
  node.lie = () => Promise.reject(new HttpRefusal(429));
  try {
    const submitted = Promise.all(quotes.map(submit));
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    for (const response of await submitted) expect(response.status).toBe(503);
    // A response that was under way at the start counts for as long: a quote after this one is due to a new one.
    await eventually(async () => expectStatus(await t.buy.quote(), 503));
  } finally {
    node.lie = undefined;
  }
  // What was under way together, then one call for each rest: the indexer alone would make twenty a second.
  const calls = [...node.calls.values()].reduce((sum, count) => sum + count, 0);
  expect(calls).toBeLessThanOrEqual(30);
  await eventually(async () => expectStatus(await t.buy.quote(), 200), 20_000);
  const [first] = quotes;
  if (first) expectStatus(await submit(first), 200);
}, 60_000);
