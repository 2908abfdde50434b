import { expect, test } from 'vitest';
import { startLyingNode } from './indexer/lying-node.js';
import { eventually } from './karat-chain.js';
import { type ServiceProcess, startService } from './service-process.js';
import { expectStatus, startTrading } from './trading.js';

/** What a node is asked while nothing happens, by a process each for serving, indexing and keeping. */

const patience = { timeout: 240_000 };
/** What is counted: long enough for a look at the overlap, which is seldom then. */
const windowMs = 30_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls in each 10 s of a window that begins once the processes have come to rest, and what they were. */
async function idleCalls(notified: boolean): Promise<{ perTenSeconds: number; calls: string }> {
  const t = await startTrading();
  const node = await startLyingNode(t.chain.node.rpcUrl);
  const env = {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: node.url,
    KARAT_WS_URL: notified ? t.chain.node.wsUrl : 'ws://127.0.0.1:1',
    KARAT_PROGRAM_ID: t.chain.config.programId,
    KARAT_MARKET_HOURS: 'always',
  };
  const total = () => [...node.calls.values()].reduce((sum, count) => sum + count, 0);
  const processes: ServiceProcess[] = await Promise.all([
    startService('serve', { ...env, KARAT_SERVICE_SIGNER: t.chain.config.serviceSignerUrl }),
    // What does not serve is known to be up by its metrics.
    startService('index', { ...env, KARAT_METRICS_PORT: '0' }),
    startService('keep', { ...env, KARAT_METRICS_PORT: '0' }),
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
    await t.stop();
    await node.close();
  }
}

// Side by side, since all of it is waiting.
test.concurrent(
  'at most 20 requests in 10 s while nothing happens and notifications arrive',
  patience,
  async ({ expect }) => {
    const { perTenSeconds, calls } = await idleCalls(true);
    expect(perTenSeconds, calls).toBeLessThanOrEqual(20);
  },
);

test.concurrent('at most 40 without notifications', patience, async ({ expect }) => {
  const { perTenSeconds, calls } = await idleCalls(false);
  expect(perTenSeconds, calls).toBeLessThanOrEqual(40);
});
