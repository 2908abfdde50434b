/**
 * What a trade costs, from its quote until it is final, in the form of production: a process each for partners, operators,
 * indexing, keeping and webhooks, and a signer for partners. Calls are counted between the processes and the node; what the
 * same processes cost meanwhile without a trade is subtracted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { newWallet } from '../../packages/service/test/harness.js';
import { type LyingNode, startLyingNode } from '../../packages/service/test/indexer/lying-node.js';
import { type BenchOptions, type Figure, report, shown } from '../figures.js';
import { allCores, cpuSecondsOf, end, memoryOf, pause } from '../machine.js';
import { quoteToSubmit } from '../submits.js';
import { insertPartners, type KaratProcess, newDatabase, type World, withClient } from '../world.js';

const signerScript = fileURLToPath(new URL('../../packages/signer/dist/main.js', import.meta.url));
/** From the start until the processes have come to rest: what was there is recorded and looked at once more. */
const restMs = 15_000;
/** Long enough for what is read every ten seconds; what is read once a minute counts for more or less. */
const idleMs = 30_000;
/** A trade is final 32 slots after it landed, and looked at 12 s after it was recorded. */
const untilFinalMs = 14_000;
/** About what 100,000 trades a day are, and as many as a process serves with its usual share of a plan and room for others. */
const rates = { few: 1, many: 10 };

/** What was used by some moment. */
interface Used {
  atMs: number;
  calls: Map<string, number>;
  /** Seconds of each process. */
  cpu: Record<string, number>;
  logBytes: number;
  walBytes: number;
}

/** What trades cost, each. */
interface Cost {
  calls: Map<string, number>;
  /** Milliseconds of each process. */
  cpu: Record<string, number>;
  logBytes: number;
  walBytes: number;
}

interface Deployment {
  partners: KaratProcess;
  /** MiB that each process has. */
  memory(): Record<string, number>;
  use(): Promise<Used>;
  stop(): Promise<void>;
}

export async function measure(world: World, { quick }: BenchOptions): Promise<Figure[]> {
  const databaseUrl = await newDatabase(world.postgres);
  await insertPartners(databaseUrl, world.partners);
  const node = await startLyingNode(world.chain.node.rpcUrl);
  try {
    return await withClient(databaseUrl, async (sql) => {
      const deployment = await startDeployment(world, databaseUrl, node, sql);
      try {
        await pause(restMs);
        const idle = await spent(deployment, idleMs);
        const memory = deployment.memory();
        const costOf = costsBeyond(deployment, idle);
        const alone = await costOf(1, async () => void (await makeTrade(world, deployment.partners, 1)));
        const few = await costOf(quick ? 5 : 13, (count) =>
          makeTrades(world, deployment.partners, count, rates.few),
        );
        const bytesBefore = await storedBytes(sql);
        const count = quick ? 50 : 200;
        const many = await costOf(count, () => makeTrades(world, deployment.partners, count, rates.many));
        const bytes = ((await storedBytes(sql)) - bytesBefore) / count;
        const landed = await world.chain.landed(await makeTrade(world, deployment.partners, 2));
        return figuresOf({ idle, alone, few, many, bytes, landed, memory });
      } finally {
        await deployment.stop();
      }
    });
  } finally {
    await node.close();
  }
}

async function startDeployment(
  world: World,
  databaseUrl: string,
  node: LyingNode,
  sql: pg.Client,
): Promise<Deployment> {
  const { chain, folder } = world;
  const socket = join(folder, 'cost.sock');
  const signer = await startSigner(socket, {
    KARAT_PROGRAM_ID: chain.config.programId,
    KARAT_SERVICE_SIGNER: chain.config.serviceSignerUrl,
  });
  const reserves = join(folder, 'cost-reserves.json');
  writeFileSync(reserves, JSON.stringify([...newWallet().secretKey]), { mode: 0o600 });
  const market = chain.keyFile(chain.market);
  const start = (command: Parameters<World['start']>[0], env: Record<string, string> = {}) =>
    world.start(command, {
      databaseUrl,
      cores: allCores,
      env: { KARAT_RPC_URL: node.url, KARAT_SERVICE_SIGNER: '', KARAT_METRICS_PORT: '0', ...env },
    });
  const processes = {
    'serve-partners': await start('serve-partners', { KARAT_SERVICE_SIGNER: `socket:${socket}` }),
    'serve-operators': await start('serve-operators', {
      KARAT_OPERATIONS_SIGNER: chain.keyFile(chain.operations),
      KARAT_MARKET_SIGNER: market,
    }),
    index: await start('index'),
    keep: await start('keep', {
      KARAT_MARKET_SIGNER: market,
      KARAT_RESERVES_SIGNER: reserves,
      KARAT_MARKET_HOURS: 'always',
    }),
    deliver: await start('deliver'),
  };
  // What the server does for tables of other groups is no cost of a trade.
  const configure = async (...statements: string[]) => {
    for (const statement of statements) await sql.query(`alter system ${statement}`);
    await sql.query('select pg_reload_conf()');
  };
  await sql.query('create extension if not exists pg_walinspect');
  // What was written stays until it is counted.
  await configure('set autovacuum = off', "set wal_keep_size = '2GB'");
  await sql.query('checkpoint');
  const { rows: at } = await sql.query<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
  const server = Number(readFileSync(join(world.postgres.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const pids = {
    ...Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, pid])),
    'karat-signer': signer.pid ?? 0,
    PostgreSQL: server,
  };
  return {
    partners: processes['serve-partners'],
    memory: () =>
      Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, memoryOf(pid).now])),
    async use() {
      // Without page images, of which there are many after a checkpoint and few long after it.
      const { rows } = await sql.query<{ bytes: string }>(
        'select sum(record_size) as bytes from pg_get_wal_stats($1, pg_current_wal_flush_lsn())',
        [at[0]?.lsn],
      );
      return {
        atMs: performance.now(),
        calls: new Map(node.calls),
        cpu: Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSecondsOf(pid)])),
        logBytes: Object.values(processes).reduce((sum, { logFile }) => sum + statSync(logFile).size, 0),
        walBytes: Number(rows[0]?.bytes),
      };
    },
    async stop() {
      for (const process of Object.values(processes)) await process.stop();
      await end(signer);
      await configure('reset autovacuum', 'reset wal_keep_size');
    },
  };
}

async function startSigner(socket: string, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [signerScript, '--socket', socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env },
  });
  // Its first line says that it signs.
  if (child.stdout) await once(child.stdout, 'data');
  child.stdout?.resume();
  return child;
}

/** Returns what is used within a time, for each second of it. */
async function spent(deployment: Deployment, ms: number): Promise<Cost> {
  const before = await deployment.use();
  await pause(ms);
  return difference(before, await deployment.use(), (all, seconds) => all / seconds);
}

/** Returns what measures trades: what each of them costs until the last one is final, beyond what is used without any. */
function costsBeyond(deployment: Deployment, idle: Cost) {
  return async (count: number, trade: (count: number) => Promise<void>): Promise<Cost> => {
    const before = await deployment.use();
    await trade(count);
    await pause(untilFinalMs);
    const after = await deployment.use();
    const raw = difference(before, after, (all) => all / count);
    const idleOfEach = (after.atMs - before.atMs) / 1_000 / count;
    const methods = new Set([...raw.calls.keys(), ...idle.calls.keys()]);
    return {
      calls: new Map(
        [...methods].map((name) => [
          name,
          (raw.calls.get(name) ?? 0) - (idle.calls.get(name) ?? 0) * idleOfEach,
        ]),
      ),
      cpu: Object.fromEntries(
        Object.entries(raw.cpu).map(([name, ms]) => [name, ms - (idle.cpu[name] ?? 0) * idleOfEach]),
      ),
      logBytes: raw.logBytes - idle.logBytes * idleOfEach,
      walBytes: raw.walBytes - idle.walBytes * idleOfEach,
    };
  };
}

/** Returns what was used between two moments, each amount as `share` makes it of all and the seconds between them. */
function difference(before: Used, after: Used, share: (all: number, seconds: number) => number): Cost {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const of = (all: number) => share(all, seconds);
  return {
    calls: new Map(
      [...after.calls].map(([name, count]) => [name, of(count - (before.calls.get(name) ?? 0))]),
    ),
    cpu: Object.fromEntries(
      Object.entries(after.cpu).map(([name, used]) => [name, of((used - (before.cpu[name] ?? 0)) * 1_000)]),
    ),
    logBytes: of(after.logBytes - before.logBytes),
    walBytes: of(after.walBytes - before.walBytes),
  };
}

/** Makes so many trades, so many of them begin a second, and waits until the last one was sent. */
async function makeTrades(world: World, partners: KaratProcess, count: number, rate: number): Promise<void> {
  const trades: Promise<string>[] = [];
  const beganMs = performance.now();
  for (let place = 0; place < count; place += 1) {
    await pause(Math.max(0, beganMs + (place * 1_000) / rate - performance.now()));
    const trade = makeTrade(world, partners, place + 3);
    // One that fails is reported once all have begun.
    trade.catch(() => {});
    trades.push(trade);
  }
  await Promise.all(trades);
}

/** Quotes a buy, signs it as partner and user do, and submits it; returns its signature. */
async function makeTrade(world: World, { url }: KaratProcess, place: number): Promise<string> {
  const request = await quoteToSubmit(world, url, place);
  const { tx_hash } = (await responseTo(`${url}${request.path}`, request)) as { tx_hash: string };
  return tx_hash;
}

async function responseTo(url: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(url, request);
  const body = await response.json();
  if (response.status !== 200) throw new Error(`${url}: ${JSON.stringify(body)}`);
  return body;
}

/** Bytes of all rows and index entries that are alive, each with its line pointer. Whole pages would be too coarse for some hundred trades. */
async function storedBytes(sql: pg.Client): Promise<number> {
  await sql.query('create extension if not exists pgstattuple');
  const { rows } = await sql.query<{ bytes: string }>(
    `select sum(s.tuple_len + 4 * s.tuple_count) as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_am a on a.oid = c.relam,
        pgstattuple(c.oid) s
      where n.nspname = 'public' and (c.relkind = 'r' or (c.relkind = 'i' and a.amname in ('btree', 'hash')))`,
  );
  return Number(rows[0]?.bytes);
}

const total = ({ calls }: Cost) => [...calls.values()].reduce((sum, count) => sum + count, 0);

function figuresOf({
  idle,
  alone,
  few,
  many,
  bytes,
  landed,
  memory,
}: Record<'idle' | 'alone' | 'few' | 'many', Cost> & {
  bytes: number;
  memory: Record<string, number>;
  landed: Awaited<ReturnType<World['chain']['landed']>>;
}): Figure[] {
  const lower = { better: 'lower' } as const;
  const calls = (of: Cost) => Object.fromEntries(of.calls);
  const methods = [...many.calls].filter(([, count]) => count >= 0.05);
  report(`calls without a trade: ${textOf(idle.calls, 10)} in 10 s`);
  report(`calls for a trade alone: ${textOf(alone.calls)}`);
  report(`calls for one of ${rates.few} a second: ${textOf(few.calls)}`);
  return [
    {
      name: 'calls to the node in 10 s without a trade',
      value: total(idle) * 10,
      unit: 'calls',
      required: 20,
      ...lower,
      detail: calls(idle),
    },
    {
      name: 'calls for a trade alone',
      value: total(alone),
      unit: 'calls',
      required: 12,
      ...lower,
      detail: calls(alone),
    },
    {
      name: `calls for one of ${rates.few} trades a second`,
      value: total(few),
      unit: 'calls',
      required: 6,
      ...lower,
      detail: calls(few),
    },
    {
      name: `calls for one of ${rates.many} trades a second`,
      value: total(many),
      unit: 'calls',
      required: 6,
      ...lower,
      detail: calls(many),
    },
    ...methods.map(([name, value]) => ({ name: `of these, ${name}`, value, unit: 'calls', ...lower })),
    {
      name: 'most memory of an idle process of a deployment',
      value: Math.max(...Object.values(memory)),
      unit: 'MiB',
      required: 160,
      ...lower,
      detail: memory,
    },
    { name: 'lamports for a trade', value: landed.meta.fee, unit: 'lamports', ...lower },
    { name: 'compute units of a trade', value: landed.meta.computeUnitsConsumed, unit: 'CU', ...lower },
    { name: 'rows and index entries of a trade', value: bytes, unit: 'bytes', ...lower },
    { name: 'WAL of a trade, without page images', value: many.walBytes, unit: 'bytes', ...lower },
    { name: 'the same of a second without a trade', value: idle.walBytes, unit: 'bytes', ...lower },
    { name: 'log of a trade', value: many.logBytes, unit: 'bytes', ...lower },
    ...Object.entries(many.cpu).map(([name, value]) => ({
      name: `processor for a trade: ${name}`,
      value,
      unit: 'ms',
      ...lower,
      detail: { idlePercent: (idle.cpu[name] ?? 0) / 10 },
    })),
  ];
}

function textOf(calls: ReadonlyMap<string, number>, times = 1): string {
  return [...calls]
    .filter(([, count]) => count * times >= 0.05)
    .map(([name, count]) => `${name} ${shown(count * times)}`)
    .join(', ');
}
