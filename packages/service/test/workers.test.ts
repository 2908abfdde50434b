import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { findConfigPda } from '@karat/program-client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { pauseBits } from '../src/domain/program-status.js';
import { runKarat } from './cli/run-karat.js';
import { followStream } from './event-stream.js';
import { clockAhead, hang, type LyingNode, startLyingNode } from './indexer/lying-node.js';
import { eventually } from './karat-chain.js';
import { kycKeyFile } from './kyc-key.js';
import { ownPort } from './own-port.js';
import { type ServiceProcess, startService } from './service-process.js';
import { expectStatus, startTrading, type Trading } from './trading.js';

/** One process of the service whose workers serve the same ports. */

const patience = { timeout: 150_000 };
const workers = 3;

let t: Trading;
let node: LyingNode;
let service: ServiceProcess;
let env: Record<string, string>;
beforeAll(async () => {
  t = await startTrading();
  node = await startLyingNode(t.chain.node.rpcUrl);
  env = {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: node.url,
    KARAT_WS_URL: t.chain.node.wsUrl,
    KARAT_PROGRAM_ID: t.chain.config.programId,
    KARAT_SERVICE_SIGNER: t.chain.config.serviceSignerUrl ?? '',
    KARAT_PICKUP_SECRET: 'p'.repeat(32),
    KARAT_KYC_KEY: kycKeyFile(),
    KARAT_METRICS_PORT: '0',
  };
  const own = { KARAT_WORKERS: String(workers), KARAT_PORT: String(await ownPort()) };
  service = await startService('serve,index', { ...env, ...own });
  await eventually(async () => expectStatus(await client().get('/ready'), 200), 60_000);
}, patience.timeout);
afterAll(async () => {
  await service?.kill();
  await node.close();
  await t.stop();
});

const client = () => service.client({ 'x-api-key': t.partner.apiKey });

interface Quoted {
  status: number;
  body: Record<string, string>;
}

/** Requests a quote on a connection of its own, each of which goes to the next worker; returns status and body. */
async function quote(): Promise<Quoted> {
  const finish = await beginQuote();
  return finish();
}

/** Begins to request a quote; once a worker has the head of the request, returns what sends its body. */
async function beginQuote(): Promise<() => Promise<Quoted>> {
  const content = JSON.stringify({ service_user_id: t.user.id, usdc_amount: 10 });
  const headers = {
    'content-type': 'application/json',
    'content-length': content.length,
    'x-api-key': t.partner.apiKey,
    expect: '100-continue',
  };
  const sent = request(`${service.url}/v1/buy`, { method: 'POST', headers, agent: false });
  sent.flushHeaders();
  const responding = once(sent, 'response');
  // A failure before the body is sent rejects when it is sent.
  responding.catch(() => {});
  await once(sent, 'continue');
  return async () => {
    sent.end(content);
    const [response] = await responding;
    return { status: response.statusCode, body: (await json(response)) as Quoted['body'] };
  };
}
const quotes = (count: number) => Promise.all(Array.from({ length: count }, quote));
const statusesOf = (answers: { status: number }[]) => new Set(answers.map(({ status }) => status));

const linesOf = (msg: string) =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${msg}"`))
    .map((line) => JSON.parse(line));

/** Process ids of the workers, by the parent of each process. */
function workerPids(): number[] {
  return childrenOf(service.child.pid);
}

function childrenOf(parent: number | undefined): number[] {
  const parentOf = (pid: string) => {
    try {
      return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    } catch {
      return undefined;
    }
  };
  const own = String(parent);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === own)
    .map((name) => Number.parseInt(name, 10));
}

test('every worker quotes, and their quotes execute', patience, async () => {
  // They begin to listen one after the other.
  await eventually(async () => {
    expect(statusesOf(await quotes(4 * workers))).toEqual(new Set([200]));
    const served = new Set(linesOf('answered').map(({ worker }) => worker));
    expect([...served].sort()).toEqual([1, 2, 3]);
  }, 60_000);
  const { trade_id: id, partially_signed_transaction: base64 } = (await quote()).body;
  const signed = t.signed(Buffer.from(base64 ?? '', 'base64'));
  const signed_tx = Buffer.from(signed).toString('base64');
  expectStatus(await client().post(`/v1/buy/${id}/submit`, { signed_tx }), 200);
  await eventually(async () => expectStatus(await client().get(`/v1/trades/${id}`), 200), 20_000);
});

/** Reads a user's balances on a connection of its own; returns the status. */
async function balances(): Promise<number> {
  const headers = { 'x-api-key': t.partner.apiKey };
  const sent = request(`${service.url}/v1/users/${t.user.id}/balances`, { headers, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

test('callers have the node called for them no more often than by one process', patience, async () => {
  const beganMs = performance.now();
  const statuses = await Promise.all(Array.from({ length: 200 }, balances));
  const seconds = Math.floor((performance.now() - beganMs) / 1_000) + 1;
  // By default 40 calls a second, of which looks get half, and one partner half of that.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(10 * seconds);
  expect(statuses).toContain(429);
});

test('price, blockhash and program are read once for all of them', patience, async () => {
  const { program } = t.service.ctx.chain;
  const price = program.lastConfig()?.priceAccount;
  const [config] = await findConfigPda({ programAddress: t.service.ctx.chain.programAddress });
  await quotes(2 * workers);
  const reads = { price: 0, blockhash: 0, program: 0, list: 0 };
  node.lie = async ({ method, params }, ask) => {
    if (method === 'getAccountInfo' && params[0] === price) reads.price += 1;
    if (method === 'getLatestBlockhash') reads.blockhash += 1;
    if (method === 'getMultipleAccounts' && params[0].includes(config)) reads.program += 1;
    if (method === 'getProgramAccounts') reads.list += 1;
    return ask();
  };
  const startMs = performance.now();
  try {
    // Quotes are requested all the time, so that price and blockhash are read every second, and the program every two.
    await eventually(async () => {
      expect(statusesOf(await quotes(workers))).toEqual(new Set([200]));
      expect(Math.min(reads.price, reads.blockhash, 2 * reads.program)).toBeGreaterThanOrEqual(8);
    }, 60_000);
  } finally {
    node.lie = undefined;
  }
  // One reader pauses that long between two reads; a second one would read as often again.
  const seconds = (performance.now() - startMs) / 1_000;
  expect(reads.price).toBeLessThanOrEqual(seconds + 1);
  expect(reads.blockhash).toBeLessThanOrEqual(seconds + 1);
  expect(reads.program).toBeLessThanOrEqual(seconds / 2 + 1);
  expect(reads.list).toBeLessThanOrEqual(seconds / 30 + 1);
});

test('a key has five streams of events over all workers', patience, async () => {
  const partner = await t.service.givenPartner();
  const open = () => followStream(service.url, { 'x-api-key': partner.apiKey });
  const streams = await Promise.all(Array.from({ length: 9 }, open));
  expect(streams.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(4).fill(429)]);
  for (const stream of streams) stream.close();
});

test("every worker knows that the chain's clock differs from the machine's", patience, async () => {
  node.lie = clockAhead(-78);
  try {
    await eventually(async () => {
      const answers = await quotes(4 * workers);
      const messages = new Set(answers.map(({ body }) => body.message));
      expect(messages).toEqual(new Set([expect.stringMatching(/^The chain's clock is \d+ s behind/)]));
    }, 30_000);
  } finally {
    node.lie = undefined;
  }
  await eventually(async () => {
    expect(statusesOf(await quotes(4 * workers))).toEqual(new Set([200]));
  }, 20_000);
});

test('a change on chain reaches all of them', patience, async () => {
  await t.chain.setStatus({ paused: pauseBits.trade });
  try {
    await eventually(async () => {
      expect(statusesOf(await quotes(4 * workers))).toEqual(new Set([503]));
    }, 20_000);
  } finally {
    await t.chain.setStatus({});
  }
  await eventually(async () => {
    expect(statusesOf(await quotes(4 * workers))).toEqual(new Set([200]));
  }, 20_000);
});

/** The texts of the ports that serve metrics: that of operators and that of metrics. */
async function metrics(): Promise<string[]> {
  const listening = service.output().matchAll(/Server listening at (http:\/\/127\.0\.0\.1:\d+)"/g);
  const urls = [...new Set([...listening].map(([, url]) => url ?? ''))];
  const texts: string[] = [];
  for (const url of urls) {
    const answer = await fetch(`${url}/metrics`);
    if (answer.status === 200) texts.push(await answer.text());
  }
  expect(texts).toHaveLength(2);
  return texts;
}
const quotesIn = (text: string) => {
  const [, count = '0'] = /^karat_quotes_total\{kind="buy",outcome="ok"\} (\d+)$/m.exec(text) ?? [];
  return Number.parseInt(count, 10);
};

test('metrics are those of all of them, wherever they are looked at', patience, async () => {
  await quotes(2 * workers);
  await eventually(async () => {
    const counted = linesOf('answered').filter(({ route, status }) => route === '/v1/buy' && status === 200);
    expect(counted.length).toBeGreaterThanOrEqual(2 * workers);
    for (const text of await metrics()) {
      expect(quotesIn(text)).toBe(counted.length);
      expect(text).toMatch(/^karat_database_up 1$/m);
      expect(text).toMatch(/^karat_chain_usable\{part="blockhash"\} 1$/m);
    }
  }, 10_000);
});

test('the event loop of one worker that stands still shows among idle ones', patience, async () => {
  const [pid = 0] = workerPids();
  const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  // A look shows the time since the one before it, in samples of 10 ms. More than one in a hundred has to be long.
  await metrics();
  for (let stops = 0; stops < 5; stops += 1) {
    process.kill(pid, 'SIGSTOP');
    await pauseMs(1_000);
    process.kill(pid, 'SIGCONT');
    await pauseMs(50);
  }
  const [text = ''] = await metrics();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text) ?? [];
  expect(Number(seconds)).toBeGreaterThan(0.8);
});

/** How many workers have begun so far, which is the number of the last one. */
let forked = workers;

/** Kills a worker, and returns once there are as many as before. */
async function killOne(): Promise<void> {
  const before = workerPids();
  expect(before).toHaveLength(workers);
  process.kill(before[0] as number, 'SIGKILL');
  await eventually(() => {
    const after = workerPids();
    expect(after).toHaveLength(workers);
    expect(after).not.toContain(before[0]);
  }, 60_000);
  forked += 1;
}

test('a worker that is killed is replaced, the others go on, and no count falls', patience, async () => {
  const [before = ''] = await metrics();
  await killOne();
  await service.written('a worker died and is replaced');
  expect((await quote()).status).toBe(200);
  const [after = ''] = await metrics();
  expect(quotesIn(after)).toBeGreaterThan(quotesIn(before));
  await eventually(async () => {
    expect(statusesOf(await quotes(4 * workers))).toEqual(new Set([200]));
  }, 20_000);
});

test('a worker that begins while the node is silent does not take old news for new', patience, async () => {
  node.lie = async () => hang;
  try {
    await eventually(async () => {
      expect(statusesOf(await quotes(2 * workers))).toEqual(new Set([503]));
    }, 30_000);
    await killOne();
    const hasAnswered = () => linesOf('answered').some(({ worker }) => worker === forked);
    while (!hasAnswered()) expect(statusesOf(await quotes(2 * workers))).toEqual(new Set([503]));
  } finally {
    node.lie = undefined;
  }
  await eventually(async () => {
    expect(statusesOf(await quotes(4 * workers))).toEqual(new Set([200]));
  }, 30_000);
});

test(
  'without the setting there is a worker a core in production, and otherwise the process serves alone',
  patience,
  async () => {
    const cores = availableParallelism();
    for (const [own, processes] of [
      [{ NODE_ENV: 'production' }, cores === 1 ? 0 : cores],
      [{}, 0],
    ] as const) {
      const started = await startService('serve', { ...env, ...own, KARAT_PORT: String(await ownPort()) });
      const found = childrenOf(started.child.pid).length;
      const { status } = await started.client({}).get('/health');
      await started.stop();
      expect([found, status]).toEqual([processes, 200]);
    }
  },
);

test('the setting is for the processes that serve: others ignore it', patience, async () => {
  const { code, stderr } = await runKarat(['index', '--workers', '2'], env);
  expect([code, stderr]).toEqual([2, '--workers is for karat serve\n']);
  const indexing = await startService('index', { ...env, KARAT_WORKERS: '2' });
  await indexing.stop();
  expect(indexing.child.exitCode).toBe(0);
});

test('workers end when their primary is killed, and another one serves on the port', patience, async () => {
  const own = { ...env, KARAT_WORKERS: '2', KARAT_PORT: String(await ownPort()) };
  const killed = await startService('serve', own);
  const pids = childrenOf(killed.child.pid);
  expect(pids).toHaveLength(2);
  await killed.kill();
  await eventually(() => {
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
  }, 10_000);
  await (await startService('serve', own)).stop();
});

test('a worker of another process manager serves by itself, and starts no workers', patience, async () => {
  const manager = (...args: string[]) => {
    const code = `
      import cluster from 'node:cluster';
      cluster.setupPrimary({ exec: ${JSON.stringify(inject('serviceScript'))}, args: ${JSON.stringify(args)}, execArgv: [] });
      process.on('SIGTERM', () => cluster.fork && Object.values(cluster.workers).forEach((each) => each.process.kill()));
      cluster.fork().on('exit', (code) => process.exit(code));`;
    return ['--input-type=module', '--eval', code];
  };
  const production = { ...env, NODE_ENV: 'production', KARAT_PORT: '0', KARAT_OPERATOR_PORT: '0' };
  const managed = await startService(manager('serve'), {
    ...production,
    KARAT_PORT: String(await ownPort()),
  });
  expect((await managed.client({}).get('/health')).status).toBe(200);
  await managed.stop();
  expect(managed.child.exitCode).toBe(0);
  const refused = promisify(execFile)(process.execPath, manager('serve', '--workers', '2'), {
    env: production,
  });
  await expect(refused).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--workers starts processes, which a worker of another process manager'),
  });
});

test('a port that is taken is one plain line, and the process ends', patience, async () => {
  const port = await ownPort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  try {
    const own = { KARAT_WORKERS: '2', KARAT_PORT: String(port), KARAT_OPERATOR_PORT: '0' };
    const { code, stderr } = await runKarat(['serve'], { ...env, ...own });
    expect([code, stderr]).toEqual([
      1,
      `Port ${port} of 127.0.0.1 is in use: stop what listens there, or set KARAT_PORT to another port\n`,
    ]);
  } finally {
    other.close();
  }
});

test('stopped in order, they complete what is under way and leave nothing behind', patience, async () => {
  const pids = workerPids();
  // Each worker has a request whose body is still to come.
  const under = await Promise.all(Array.from({ length: workers }, beginQuote));
  const stopped = service.stop();
  // No further requests are taken before these are done.
  const further = () =>
    fetch(`${service.url}/health`, { signal: AbortSignal.timeout(300) }).then(
      () => 'taken',
      (error) => error.cause?.code,
    );
  while ((await further()) !== 'ECONNREFUSED');
  const quoted = await Promise.all(under.map((finish) => finish()));
  await stopped;
  expect(statusesOf(quoted)).toEqual(new Set([200]));
  expect([service.child.exitCode, service.child.signalCode]).toEqual([0, null]);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
});
