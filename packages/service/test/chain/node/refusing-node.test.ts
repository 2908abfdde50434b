import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpRefusal, type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { startTrading, type Trading } from '../../trading.js';

let t: Trading;
let node: LyingNode;
beforeAll(async () => {
  t = await startTrading({
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

test('quotes: a node that refuses 30 % of the calls at random stops none', { timeout: 60_000 }, async () => {
  const random = seeded(7);
  let [calls, refusals] = [0, 0];
  node.lie = async (_call, ask) => {
    calls += 1;
    if (random() >= 0.3) return ask();
    refusals += 1;
    throw new HttpRefusal(429);
  };
  const statuses: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    statuses.push((await t.quote()).status);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const seen = `${statuses}; ${refusals} of ${calls} calls refused`;
  expect(refusals, seen).toBeGreaterThan(calls / 10);
  expect(statuses.filter((status) => status === 200).length, seen).toBeGreaterThanOrEqual(leastGoodSeconds);
});
