import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTrade } from '../../../src/db/trades/trades.js';
import type { TradeId } from '../../../src/domain/ids.js';
import { startIndexer } from '../../../src/indexer/index.js';
import { expectStatus } from '../../harness.js';
import { HttpRefusal, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';

let t: Karat;
let node: LyingNode;
beforeAll(async () => {
  t = await startKarat({
    reroute: async ({ rpcUrl, wsUrl }) => {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
});
afterAll(async () => {
  await t.stop();
  await node.close();
});

/** Numbers from 0 up to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seconds = 20;
const leastGoodSeconds = 19;
const trades = 20;

/** Has the node refuse 30 % of the calls at random, and counts both. */
function refuseSome(seed: number): { calls: number; refusals: number } {
  const random = seeded(seed);
  const counted = { calls: 0, refusals: 0 };
  node.lie = async (_call, ask) => {
    counted.calls += 1;
    if (random() >= 0.3) return ask();
    counted.refusals += 1;
    throw new HttpRefusal(429);
  };
  return counted;
}

test('quotes: a node that refuses 30 % of the calls at random stops none', { timeout: 60_000 }, async () => {
  const counted = refuseSome(7);
  const statuses: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    statuses.push((await t.buy.quote()).status);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const { calls, refusals } = counted;
  const seen = `${statuses}; ${refusals} of ${calls} calls refused`;
  expect(refusals, seen).toBeGreaterThan(calls / 10);
  expect(statuses.filter((status) => status === 200).length, seen).toBeGreaterThanOrEqual(leastGoodSeconds);
});

test('indexer: trades are visible within 5 s through a node that refuses 30 % of the calls', {
  timeout: 120_000,
}, async () => {
  const indexer = startIndexer(t.service.ctx);
  try {
    await eventually(() => expect(indexer.fault()).toBeUndefined(), 30_000);
    const waits: number[] = [];
    for (let sent = 0; sent < trades; sent += 1) {
      node.lie = undefined;
      const { tradeId, transaction } = await t.buy.quoted();
      refuseSome(sent);
      expectStatus(await t.buy.submit(tradeId, t.signed(transaction)), 200);
      const atMs = performance.now();
      await eventually(
        async () => expect(await findTrade(t.service.ctx.db, tradeId as TradeId)).toBeDefined(),
        20_000,
      );
      waits.push(Math.round(performance.now() - atMs));
    }
    // The slowest one of twenty is the 95th percentile.
    const [, slowest] = waits.toSorted((a, b) => b - a);
    expect(slowest, String(waits)).toBeLessThanOrEqual(5_000);
  } finally {
    await indexer.stop();
  }
});
