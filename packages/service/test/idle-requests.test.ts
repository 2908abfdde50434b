import { expect, test } from 'vitest';
import { expectStatus } from './harness.js';
import { startLyingNode } from './indexer/lying-node.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { type ServiceProcess, startService } from './service-process.js';

/** What a node is asked while nothing happens, by a process each for serving, indexing and keeping. */

const patience = { timeout: 240_000 };
/** What is counted: long enough for three comparisons with the numbers of the program. */
const windowMs = 30_000;
/** A trade that was confirmed is final after that. */
const untilFinalMs = 13_000;
const many = 26;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a node was asked within some time, and what that was. */
interface Asked {
  count: number;
  calls: string;
}

/** The calls in each 10 s of a window that begins once the processes have come to rest; then `then` goes on with them. */
async function idleCalls(
  notified: boolean,
  then?: (
    t: Karat,
    requested: (ms: number, work?: () => Promise<unknown>) => Promise<Asked>,
  ) => Promise<void>,
): Promise<{ perTenSeconds: number; calls: string }> {
  const t = await startKarat();
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
    const requested = async (ms: number, work?: () => Promise<unknown>) => {
      node.calls.clear();
      await Promise.all([work?.(), pause(ms)]);
      return { count: total(), calls: JSON.stringify(Object.fromEntries(node.calls)) };
    };
    await then?.(t, requested);
    const { count, calls } = await requested(then ? 0 : windowMs);
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
  'a process makes at most 20 requests in 10 s while nothing happens and notifications arrive',
  patience,
  async ({ expect }) => {
    const { perTenSeconds, calls } = await idleCalls(true);
    expect(perTenSeconds, calls).toBeLessThanOrEqual(20);
  },
);

test.concurrent(
  'indexer: a trade alone costs at most 12 calls until it is final, and one of many at most 6',
  patience,
  async ({ expect }) => {
    await idleCalls(true, async (t, requested) => {
      // Not by the processes, which would read what they need for more of them.
      const signed = await Promise.all(Array.from({ length: 1 + many }, () => signedTrade(t)));
      const idle = await requested(untilFinalMs);
      const alone = await requested(untilFinalMs, () => broadcast(t, signed[0] as string));
      expect(alone.count - idle.count, `${alone.calls}, idle ${idle.calls}`).toBeLessThanOrEqual(12);
      const loaded = await requested(2 * untilFinalMs, async () => {
        for (const trade of signed.slice(1)) {
          await broadcast(t, trade);
          await pause(untilFinalMs / many);
        }
      });
      const each = (loaded.count - 2 * idle.count) / many;
      expect(each, `${loaded.calls}, idle ${idle.calls}`).toBeLessThanOrEqual(6);
    });
  },
);

/** A trade that partner and user have signed, base64. */
async function signedTrade(t: Karat): Promise<string> {
  const { transaction } = await t.buy.quoted();
  return Buffer.from(t.signed(transaction)).toString('base64');
}

/** Sends a trade to the node itself, past the service. */
async function broadcast(t: Karat, base64: string): Promise<void> {
  const params = [base64, { encoding: 'base64', skipPreflight: true }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params });
  const headers = { 'content-type': 'application/json' };
  await fetch(t.chain.node.rpcUrl, { method: 'POST', headers, body });
}

test.concurrent(
  'a process makes at most 40 requests in 10 s while no notifications arrive',
  patience,
  async ({ expect }) => {
    const { perTenSeconds, calls } = await idleCalls(false);
    expect(perTenSeconds, calls).toBeLessThanOrEqual(40);
  },
);
