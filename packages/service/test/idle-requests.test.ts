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

/** Counts what is requested of the node within a time, or until work is done that takes longer. */
type Count = (ms: number, work?: () => Promise<unknown>) => Promise<Asked>;

/** Has a process each for serving, indexing and keeping come to rest, and counts what they request. */
async function atRest(notified: boolean, measure: (count: Count, t: Karat) => Promise<void>): Promise<void> {
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
    const isReady = async () => expectStatus((await processes[0]?.client({}).get('/ready')) as never, 200);
    await eventually(isReady, 60_000);
    // At rest: 5 s without a look at a transaction, in which nothing is polled for what just happened.
    await eventually(async () => {
      const before = total();
      await pause(5_000);
      expect(total() - before).toBeLessThanOrEqual(25);
    }, 60_000);
    await measure(async (ms, work) => {
      node.calls.clear();
      await Promise.all([work?.(), pause(ms)]);
      return { count: total(), calls: JSON.stringify(Object.fromEntries(node.calls)) };
    }, t);
    await isReady();
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
    await t.stop();
    await node.close();
  }
}

// Side by side, since all of it is waiting.
test.concurrent(
  'while notifications arrive, processes make at most 20 requests in 10 s, a trade alone costs 12 more until it is final, and one of many 6',
  patience,
  async ({ expect }) => {
    await atRest(true, async (requested, t) => {
      // Not by the processes, which would read what they need for more of them.
      const signed = await Promise.all(Array.from({ length: 1 + many }, () => signedTrade(t)));
      const rest = await requested(windowMs);
      const idle = rest.count / windowMs;
      expect(idle * 10_000, rest.calls).toBeLessThanOrEqual(20);
      const alone = await requested(untilFinalMs, () => broadcast(t, signed[0] as string));
      const costs = alone.count - idle * untilFinalMs;
      expect(costs, `${alone.calls}, idle ${rest.calls}`).toBeLessThanOrEqual(12);
      const loaded = await requested(2 * untilFinalMs, async () => {
        for (const trade of signed.slice(1)) {
          await broadcast(t, trade);
          await pause(untilFinalMs / many);
        }
      });
      const each = (loaded.count - 2 * idle * untilFinalMs) / many;
      expect(each, `${loaded.calls}, idle ${rest.calls}`).toBeLessThanOrEqual(6);
    });
  },
);

test.concurrent(
  'while no notifications arrive, processes make at most 40 requests in 10 s',
  patience,
  async ({ expect }) => {
    await atRest(false, async (requested) => {
      const { count, calls } = await requested(windowMs);
      expect((count * 10_000) / windowMs, calls).toBeLessThanOrEqual(40);
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
