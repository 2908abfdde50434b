import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { connectNodes } from '../../src/chain/node/nodes.js';
import { Secret } from '../../src/config.js';
import { createContext, type OwnedContext } from '../../src/create-context.js';
import { findTrade } from '../../src/db/trades/trades.js';
import { type Indexer, startIndexer } from '../../src/indexer/index.js';
import { timeToLead } from '../lead-time.js';
import { median } from '../median.js';
import { TcpProxy } from '../tcp-proxy.js';
import { HttpRefusal, type LyingNode, startLyingNode } from './lying-node.js';
import { eventually, givenWorld, landed, sendTrade, type World, type WorldOptions } from './world.js';

// Processes start, servers go away: on a busy machine that takes its time, and no test here is about that time.
vi.setConfig({ testTimeout: 90_000 });

const cleanup: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

const quick = { electionMs: 200, faultAfterMs: 1_500, finalizeMs: 200, finalAfterMs: 500 };

async function given(options: WorldOptions = {}): Promise<World> {
  const world = await givenWorld(options);
  cleanup.push(world.close);
  await world.h.ctx.chain.start();
  return world;
}

function start(world: World, ctx: OwnedContext = world.h.ctx): Indexer {
  const indexer = startIndexer(ctx, quick);
  cleanup.push(() => indexer.stop());
  return indexer;
}

/** Sends a trade and waits for its record; how long after the confirmation it was there, in milliseconds. */
async function recorded(world: World, withinMs = 25_000): Promise<number> {
  const { id, signature } = await sendTrade(world);
  const at = await landed(world, signature);
  await visible(world, id, withinMs);
  return performance.now() - at;
}

/** As `recorded`, for the middle one of three trades. */
async function medianRecorded(world: World): Promise<number> {
  const tookMs: number[] = [];
  for (let count = 0; count < 3; count += 1) tookMs.push(await recorded(world));
  return median(tookMs);
}

async function visible(world: World, id: Awaited<ReturnType<typeof sendTrade>>['id'], withinMs = 25_000) {
  return eventually(() => findTrade(world.h.ctx.db, id).catch(() => undefined), withinMs);
}

const leads = (indexer: Indexer) =>
  eventually(async () => (indexer.status().role === 'leader' ? true : undefined), 25_000);

/** Says so in the end: on a busy machine the fault may first be that nothing has got through for a while. */
const cannotReachDatabase = (indexer: Indexer) =>
  eventually(async () => indexer.fault() === 'The indexer cannot reach the database.' || undefined);

/** Makes the next calls of a method of the node fail. */
async function inject(world: World, fault: Record<string, unknown>): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'karat_injectFault', params: [fault] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(world.node.rpcUrl, { method: 'POST', headers, body });
  expect(await response.json()).not.toHaveProperty('error');
}

async function rowCount(world: World): Promise<number> {
  const [row] = await world.h.ctx.sql<{ count: number }[]>`select count(*)::int as count from trades`;
  return row?.count ?? -1;
}

test('indexer: one process leads; another takes over when it stops, and nothing is lost or doubled', async () => {
  const world = await given();
  const first = start(world);
  await leads(first);
  const ctx = await createContext(world.h.ctx.config, { clock: world.h.clock, log: world.h.ctx.log });
  cleanup.push(() => ctx.close());
  await ctx.chain.start();
  const second = start(world, ctx);
  await eventually(async () => (second.status().role === 'standby' ? true : undefined));
  expect(second.fault()).toBeUndefined();
  await recorded(world);
  await first.stop();
  expect(first.fault()).toBe('The indexer has stopped.');
  const { id } = await sendTrade(world);
  await leads(second);
  await visible(world, id);
  expect(await rowCount(world)).toBe(2);
});

test('indexer: a leader that is killed is replaced within 5 s', async () => {
  const world = await given();
  const child = await startProcess(world);
  const indexer = start(world);
  await eventually(async () => (indexer.status().role === 'standby' ? true : undefined));
  await recorded(world);
  expect(indexer.status().role).toBe('standby');
  const { id } = await sendTrade(world);
  const secondsToLead = await timeToLead(world.h.ctx);
  child.kill('SIGKILL');
  await leads(indexer);
  const seconds = await secondsToLead();
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(5);
  await visible(world, id);
  expect(await rowCount(world)).toBe(2);
});

/** An indexer in a process of its own, once it leads. */
async function startProcess(world: World): Promise<ChildProcess> {
  const { config } = world.h.ctx;
  const script = new URL('./indexer-process.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: config.databaseUrl.reveal(),
      KARAT_RPC_URL: config.rpcUrls.join(),
      KARAT_WS_URL: config.wsUrls.join(),
      KARAT_PROGRAM_ID: config.programId,
      KARAT_LOG_LEVEL: 'silent',
    },
  });
  cleanup.push(async () => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text) => String(text).includes('leads') && resolve());
    child.on('exit', () => reject(new Error('the process ended')));
  });
  return child;
}

test('indexer: a session that the database ends costs the lead, and it is won back', async () => {
  const world = await given();
  const indexer = start(world);
  await leads(indexer);
  const killed = await world.h.ctx.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'karat-indexer' and datname = current_database()`;
  expect(killed.length).toBe(1);
  await eventually(async () => (indexer.status().role === 'leader' ? undefined : true));
  await leads(indexer);
  await recorded(world);
  expect(await rowCount(world)).toBe(1);
});

/** A context whose way to the database can be cut and frozen. */
async function throughProxy(world: World): Promise<{ ctx: OwnedContext; proxy: TcpProxy }> {
  const proxy = new TcpProxy();
  const url = new URL(world.h.databaseUrl);
  proxy.target = { host: url.hostname, port: Number(url.port) };
  await proxy.open();
  cleanup.push(() => proxy.shut());
  url.port = String(proxy.port);
  const config = { ...world.h.ctx.config, databaseUrl: new Secret(url.href) };
  const ctx = await createContext(config, { clock: world.h.clock, log: world.h.ctx.log });
  cleanup.push(() => ctx.close());
  await ctx.chain.start();
  return { ctx, proxy };
}

test('indexer: a leader that no longer hears the database gives the lead up by itself', async () => {
  const world = await given();
  const { ctx, proxy } = await throughProxy(world);
  const indexer = start(world, ctx);
  await leads(indexer);
  proxy.freeze();
  // The record of this trade is on its way into the silence.
  const { id, signature } = await sendTrade(world);
  await landed(world, signature);
  await eventually(async () => (indexer.status().role === 'leader' ? undefined : true));
  await cannotReachDatabase(indexer);
  proxy.thaw();
  await leads(indexer);
  await visible(world, id);
  await recorded(world);
  expect(await rowCount(world)).toBe(2);
});

test('indexer: a connection that falls silent alone is given up, also while the lead is safe', async () => {
  const world = await given();
  const indexer = startIndexer(world.h.ctx, { ...quick, stallMs: 500 });
  cleanup.push(() => indexer.stop());
  await leads(indexer);
  await recorded(world);
  // A lock that is held makes a write wait as a dead connection does.
  const holder = await world.h.ctx.sql.reserve();
  await holder`begin`;
  await holder`lock table trades in exclusive mode`;
  const { id, signature } = await sendTrade(world);
  await landed(world, signature);
  await eventually(async () => (indexer.status().role === 'leader' ? undefined : true));
  await holder`rollback`;
  holder.release();
  await visible(world, id);
  expect(await rowCount(world)).toBe(2);
});

test('indexer: a database that goes away and comes back is a fault meanwhile, and every trade is recorded once', async () => {
  const world = await given();
  const { ctx, proxy } = await throughProxy(world);
  const indexer = start(world, ctx);
  await leads(indexer);
  await recorded(world);
  await proxy.shut();
  const during = await sendTrade(world);
  await landed(world, during.signature);
  await cannotReachDatabase(indexer);
  await proxy.open();
  await visible(world, during.id);
  await eventually(async () => (indexer.fault() === undefined ? true : undefined));
  await recorded(world);
  expect(await rowCount(world)).toBe(3);
});

test('indexer: a node that errs, hangs or closes connections delays trades and loses none', async () => {
  const world = await given();
  const indexer = start(world);
  await leads(indexer);
  // With it what came before is recorded, so that only the trades below can be late.
  await recorded(world);
  const sent: Awaited<ReturnType<typeof sendTrade>>['id'][] = [];
  for (const fault of [
    { method: 'getSignaturesForAddress', mode: 'error', times: 6 },
    { method: 'getTransaction', mode: 'error', times: 6 },
    { method: 'getSignaturesForAddress', mode: 'close', times: 6 },
    { method: 'getTransaction', mode: 'close', times: 4 },
    { method: 'getTransaction', mode: 'hang', times: 1 },
  ]) {
    await inject(world, fault);
    sent.push((await sendTrade(world)).id);
  }
  for (const id of sent) await visible(world, id);
  expect(await rowCount(world)).toBe(1 + sent.length);
  const deadLetters = await world.h.ctx.sql`select reason from dead_letters where resolved_at is null`;
  expect(deadLetters).toEqual([]);
  await eventually(async () => (indexer.fault() === undefined ? true : undefined));
});

test('indexer: a node that is down is a fault, and what landed meanwhile is recorded when it is back', async () => {
  const ledger = await mkdtemp(join(tmpdir(), 'karat-ledger-'));
  cleanup.push(() => rm(ledger, { recursive: true, force: true }));
  const world = await given({ ledger });
  const indexer = start(world);
  await leads(indexer);
  await recorded(world);
  const { id, signature } = await sendTrade(world);
  await landed(world, signature);
  await world.restartNode(async () => {
    const text = await eventually(async () => indexer.fault());
    expect(text).toMatch(/The indexer has made no progress for \d+ s\./);
  });
  await visible(world, id);
  await eventually(async () => (indexer.fault() === undefined ? true : undefined));
  expect(await medianRecorded(world)).toBeLessThan(5_000);
  expect(await rowCount(world)).toBe(5);
});

test('indexer: trades are found without notifications', async () => {
  const world = await given();
  const indexer = start(world);
  await leads(indexer);
  await recorded(world);
  await indexer.stop();
  const config = { ...world.h.ctx.config, wsUrls: ['ws://127.0.0.1:1'] };
  const deaf = start(world, { ...world.h.ctx, config });
  await leads(deaf);
  expect(await medianRecorded(world)).toBeLessThan(2_000);
  await eventually(async () => (deaf.fault() === undefined ? true : undefined));
});

test('indexer: trades become final and failures are recorded while it runs', async () => {
  const world = await given();
  await leads(start(world));
  const { id, signature } = await sendTrade(world);
  const failed = await sendTrade(world, { minAmountOut: 10n ** 12n });
  await landed(world, signature);
  await landed(world, failed.signature);
  await visible(world, id);
  expect(await findTrade(world.h.ctx.db, failed.id)).toBeUndefined();
  world.node.warp({ seconds: 13 });
  await eventually(async () => ((await findTrade(world.h.ctx.db, id))?.finalized ? true : undefined));
  expect(await visible(world, failed.id)).toMatchObject({ status: 'failed', finalized: true });
});

test('indexer: a leader that hangs is replaced within 15 s', async () => {
  const world = await given();
  const child = await startProcess(world);
  const indexer = start(world);
  await eventually(async () => (indexer.status().role === 'standby' ? true : undefined));
  const secondsToLead = await timeToLead(world.h.ctx);
  child.kill('SIGSTOP');
  const { id } = await sendTrade(world);
  await leads(indexer);
  expect(await secondsToLead()).toBeLessThan(15);
  await visible(world, id);
  child.kill('SIGCONT');
  await recorded(world);
  expect(await rowCount(world)).toBe(2);
});

test('indexer: a node that refuses calls as too many gets fewer, and every trade is recorded', async () => {
  let node: LyingNode | undefined;
  const world = await given({
    throughNode: async (url) => {
      node = await startLyingNode(url);
      return node.url;
    },
  });
  cleanup.push(async () => node?.close());
  const indexer = start(world);
  await leads(indexer);
  await recorded(world);
  if (!node) throw new Error('no node');
  const { calls } = node;
  const listed = () => calls.get('getSignaturesForAddress') ?? 0;
  const before = listed();
  node.lie = async () => {
    throw new HttpRefusal(429, { 'retry-after': '3' });
  };
  const { rpc } = connectNodes([world.node.rpcUrl]);
  const { id } = await sendTrade({
    ...world,
    h: { ...world.h, ctx: { ...world.h.ctx, chain: { ...world.h.ctx.chain, rpc } } },
  });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(listed() - before).toBeLessThan(4);
  node.lie = undefined;
  await visible(world, id);
  await eventually(async () => (indexer.fault() === undefined ? true : undefined));
  expect(await rowCount(world)).toBe(2);
});
