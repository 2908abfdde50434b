import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LyingNode, startLyingNode } from './indexer/lying-node.js';
import { eventually } from './karat-chain.js';
import { type ServiceProcess, startService } from './service-process.js';
import { expectStatus, startTrading, type Trading } from './trading.js';

/** What a node is asked while nothing happens, by a process each for serving, indexing and keeping. */

const patience = { timeout: 240_000 };
/** What is counted: long enough for a look at the overlap, which is seldom then. */
const windowMs = 30_000;

let t: Trading;
let node: LyingNode;
let env: Record<string, string>;
beforeAll(async () => {
  t = await startTrading();
  node = await startLyingNode(t.chain.node.rpcUrl);
  env = {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: node.url,
    KARAT_PROGRAM_ID: t.chain.config.programId,
    KARAT_MARKET_HOURS: 'always',
  };
}, patience.timeout);
afterAll(async () => {
  await t.stop();
  await node.close();
});

const total = () => [...node.calls.values()].reduce((sum, count) => sum + count, 0);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls in each 10 s of a window that begins once the processes have come to rest, and what they were. */
async function idleCalls(wsUrl: string): Promise<{ perTenSeconds: number; calls: string }> {
  const own = { ...env, KARAT_WS_URL: wsUrl };
  const key = t.chain.config.serviceKeypair;
  const processes: ServiceProcess[] = await Promise.all([
    startService('serve', { ...own, KARAT_SERVICE_KEYPAIR: key }),
    // What does not serve is known to be up by its metrics.
    startService('index', { ...own, KARAT_METRICS_PORT: '0' }),
    startService('keep', { ...own, KARAT_METRICS_PORT: '0' }),
  ]);
  try {
    const api = processes[0]?.client({});
    await eventually(async () => expectStatus((await api?.get('/ready')) as never, 200), 60_000);
    // At rest: 5 s without a look at a transaction, in which nothing is polled for what just happened.
    await eventually(async () => {
      const before = total();
      await pause(5_000);
      expect(total() - before).toBeLessThanOrEqual(25);
    }, 60_000);
    node.calls.clear();
    await pause(windowMs);
    const calls = JSON.stringify(Object.fromEntries(node.calls));
    const count = total();
    expectStatus((await api?.get('/ready')) as never, 200);
    return { perTenSeconds: (count * 10_000) / windowMs, calls };
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
  }
}

test('at most 20 requests in 10 s while nothing happens and notifications arrive', patience, async () => {
  const { perTenSeconds, calls } = await idleCalls(t.chain.node.wsUrl);
  expect(perTenSeconds, calls).toBeLessThanOrEqual(20);
});

test('at most 40 without notifications', patience, async () => {
  const { perTenSeconds, calls } = await idleCalls('ws://127.0.0.1:1');
  expect(perTenSeconds, calls).toBeLessThanOrEqual(40);
});
