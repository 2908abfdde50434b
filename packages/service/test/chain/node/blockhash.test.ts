import type { Blockhash } from '@solana/kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RecentBlockhashes } from '../../../src/chain/node/blockhash.js';
import { Demand } from '../../../src/runtime/demand.js';
import { Freshness } from '../../../src/runtime/freshness.js';
import { expectStatus } from '../../harness.js';
import { type LyingNode, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';

let t: Karat;
let node: LyingNode;

beforeAll(async () => {
  t = await startKarat({
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
});
afterEach(async () => {
  node.lie = undefined;
  await eventually(async () => expectStatus(await t.buy.quote(), 200), 15_000);
});
afterAll(async () => {
  await t.stop();
  await node.close();
});

/** Has the node return the blockhash of now for ever, as one that is stuck does; resolves when the service has read it. */
async function freeze(): Promise<void> {
  const frozen: Promise<unknown>[] = [];
  node.lie = ({ method }, ask) => {
    if (method !== 'getLatestBlockhash') return ask();
    if (frozen.length === 0) frozen.push(ask());
    return frozen[0] as Promise<unknown>;
  };
  await readAgain();
}

/** Waits until the service has taken a blockhash that it began to read after this call. */
async function readAgain(): Promise<void> {
  const readings = () => node.calls.get('getLatestBlockhash') ?? 0;
  const before = readings();
  // The first may have been under way; the third begins when the second has ended.
  await eventually(async () => {
    // Blockhashes are read every second while quotes are requested.
    await t.buy.quote();
    expect(readings()).toBeGreaterThanOrEqual(before + 3);
  }, 15_000);
}

/** When the quotes of now expire. */
const promised = async (): Promise<string> => (await t.buy.quoted()).response.body.expires_at;

test('the expiry of quotes does not move while a stuck node returns one blockhash again and again', async () => {
  await freeze();
  const first = await promised();
  await readAgain();
  expect(await promised()).toBe(first);
});

test('no quote is given over a blockhash that a stuck node has returned for more than 20 s', async () => {
  await freeze();
  t.chain.node.warp({ seconds: 25 });
  await readAgain();
  const message = expect.stringMatching(/^The last blockhash is \d+ s old/);
  expect(await t.sell.quote()).toMatchObject({ status: 503, body: { message } });
});

test('the end of a blockhash that another process gave away does not move with each look, and is that of its quote', async () => {
  const { blockhash } = t.service.ctx.chain;
  const first = blockhash.lifetimeOf('of another process');
  const expiresAtMs = blockhash.current().expiresAtMs - 50_000;
  const old = blockhash.lifetimeOf('of an old quote', { expiresAtMs });
  expect(old?.expiresAtMs).toBe(expiresAtMs);
  // The program refuses a trade 30 s after its blockhash has ended.
  const height = blockhash.current().lastValidBlockHeight - 50n;
  expect(Number(old?.lastValidBlockHeight)).toBeCloseTo(Number(height), -1);
  const stated = { lastValidBlockHeight: 7n };
  expect(blockhash.lifetimeOf('of a redemption', stated)).toMatchObject(stated);
  await readAgain();
  expect(blockhash.lifetimeOf('of another process')).toEqual(first);
});

test('a blockhash that ends before one that was read earlier is promised for no longer than that', async () => {
  const older = t.service.ctx.chain.blockhash.current();
  await eventually(() => {
    const { lastValidBlockHeight } = t.service.ctx.chain.blockhash.current();
    expect(lastValidBlockHeight).toBeGreaterThan(older.lastValidBlockHeight + 2n);
  }, 15_000);
  const latest = t.service.ctx.chain.blockhash.current();
  // Never seen: a node that lags returns one of between the two.
  const lagging = {
    blockhash: 'So11111111111111111111111111111111111111112',
    lastValidBlockHeight: Number(older.lastValidBlockHeight + 1n),
  };
  node.lie = async ({ method }, ask) => {
    const response = await ask();
    return method === 'getLatestBlockhash' ? { ...response, value: lagging } : response;
  };
  await readAgain();
  const { blockhash, expiresAtMs } = t.service.ctx.chain.blockhash.current();
  expect(blockhash).toBe(lagging.blockhash);
  // Up to a reading of the true node lies between.
  expect(expiresAtMs).toBeLessThan(latest.expiresAtMs + 2_000);
});

test('blockhashes of a node that lags, and goes on, are promised for as much less as it lags', () => {
  let nowMs = 1_000_000;
  const node = new Freshness();
  node.confirm();
  const blockhashes = new RecentBlockhashes({ clock: { now: () => nowMs }, node, demand: new Demand() });
  const leftAt = (height: number) => {
    const given = { blockhash: `of ${height}` as Blockhash, lastValidBlockHeight: BigInt(height) };
    blockhashes.accept(given, nowMs);
    return (blockhashes.expiryOf(given.blockhash) as number) - nowMs;
  };
  expect(leftAt(1_000)).toBe(60_000);
  nowMs += 400;
  // 25 blocks are 10 s.
  expect(leftAt(976)).toBe(50_000);
  nowMs += 400;
  expect(leftAt(977)).toBe(50_000);
  // A node that does not lag.
  expect(leftAt(1_002)).toBe(60_000);
  expect(leftAt(977 + 1)).toBe(50_400);
  // Blocks that take longer than usual do not make the next ones older.
  nowMs += 5_000;
  expect(leftAt(1_003)).toBe(60_000);
  // A node of another chain, or one that lied before.
  expect(leftAt(800)).toBe(60_000);
  expect(leftAt(801)).toBe(60_000);
  expect(blockhashes.fault()).toBeUndefined();
});
