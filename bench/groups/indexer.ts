/**
 * How long after its confirmation a trade can be read, how quickly a history is recorded from a node on this machine and
 * from one that is far away, what decoding and writing take alone, how quickly rows become final, and what a trade takes in
 * the database. `karat index` verifies signatures in threads, so it may use all cores where a history is recorded; else it
 * runs on one, and node and PostgreSQL always on the others.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { findTrade } from '../../packages/service/src/db/trades/trades.js';
import type { TradeId } from '../../packages/service/src/domain/index.js';
import { type BenchOptions, type Figure, percentile, report, shown } from '../figures.js';
import { allCores, cpuSecondsOf, end, memoryOf, pause } from '../machine.js';
import { type Recorded, startRecorder } from '../recorder.js';
import { landTrades, sendTrade } from '../trades.js';
import { insertPartners, newDatabase, type World, withClient, withDatabase } from '../world.js';

const path = (name: string) => fileURLToPath(new URL(`../processes/${name}`, import.meta.url));
/** A rate that takes longer to measure than this is known well enough. */
const measuredForMs = 20_000;
const roundTripMs = 80;

export async function measure(world: World, { quick }: BenchOptions): Promise<Figure[]> {
  // More than one page of a listing, so that finality takes more than one statement.
  const trades = quick ? 3_000 : 10_000;
  const live = await measureLive(world, quick ? 20 : 100);
  await landTrades(world, trades);
  const near = await backfill(world, trades, world.chain.node.rpcUrl);
  const final = await finalize(world, near.databaseUrl, near.recorded);
  const bytesEach = ((await withClient(near.databaseUrl, sizeOf)) - near.bytesBefore) / near.recorded;
  const far = await fromFar(world, (rpcUrl) => backfill(world, trades, rpcUrl));
  const memory = await measureFromMemory(world, trades);
  return [
    {
      name: 'confirmed on chain -> visible, p95',
      value: percentile(live, 0.95),
      unit: 'ms',
      required: 250,
      aim: 100,
      better: 'lower',
      detail: { p50: percentile(live, 0.5), p99: percentile(live, 0.99), trades: live.length },
    },
    {
      name: 'confirmed on chain -> visible, p50',
      value: percentile(live, 0.5),
      unit: 'ms',
      better: 'lower',
    },
    {
      name: 'backfill from a local node',
      value: near.rate,
      unit: 'trades/s',
      required: 2_000,
      aim: 5_000,
      better: 'higher',
      detail: detailOf(near),
    },
    {
      name: `backfill from a node ${roundTripMs} ms away`,
      value: far.rate,
      unit: 'trades/s',
      required: 1_000,
      aim: 3_000,
      better: 'higher',
      detail: detailOf(far),
    },
    {
      name: 'decode and record from memory, two cores',
      value: memory.rate,
      unit: 'trades/s',
      required: 3_500,
      aim: 8_000,
      better: 'higher',
      detail: { ...memory },
    },
    {
      name: 'finality',
      value: final.rate,
      unit: 'rows/s',
      required: 10_000,
      better: 'higher',
      detail: final,
    },
    {
      name: 'memory of the indexer at the end of a backfill, at most',
      value: near.memory.most,
      unit: 'MiB',
      better: 'lower',
    },
    {
      name: 'database size of a trade with all that belongs to it',
      value: bytesEach,
      unit: 'bytes',
      required: 1_000,
      aim: 700,
      better: 'lower',
    },
  ];
}

/** Sends trades at irregular moments and returns how long each took from its confirmation until it could be read, in ms. */
async function measureLive(world: World, count: number): Promise<number[]> {
  const databaseUrl = await emptyDatabase(world);
  const service = await world.start('serve');
  const index = await world.start('index', { databaseUrl });
  try {
    return await withDatabase(databaseUrl, async ({ db }) => {
      const visible = (id: string) => until(async () => (await findTrade(db, id as TradeId)) !== undefined);
      // It leads and follows.
      await visible((await sendTrade(world, service, 0)).id);
      const delays: number[] = [];
      const lane = async (first: number) => {
        for (let place = first; place < count; place += 4) {
          await pause(137 + ((place * 71) % 400));
          const { id, signature } = await sendTrade(world, service, place);
          const seen = visible(id);
          const confirmedAt = await until(() => isConfirmed(world, signature));
          delays.push(Math.max(0, (await seen) - confirmedAt));
        }
      };
      await Promise.all([0, 1, 2, 3].map(lane));
      return delays;
    });
  } finally {
    await index.stop();
    await service.stop();
  }
}

async function isConfirmed({ chain }: World, signature: string): Promise<boolean> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'getSignatureStatuses',
    params: [[signature]],
  });
  const response = await fetch(chain.node.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result } = (await response.json()) as {
    result: { value: ({ confirmationStatus: string } | null)[] };
  };
  return ['confirmed', 'finalized'].includes(result.value[0]?.confirmationStatus ?? '');
}

/** Returns the moment at which it is so, looked at every few milliseconds. Throws when it takes a minute. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it did not happen within a minute');
    await pause(5);
  }
  return performance.now();
}

/** A database with the partners and without any record. */
async function emptyDatabase(world: World): Promise<string> {
  const databaseUrl = await newDatabase(world.postgres);
  await insertPartners(databaseUrl, world.partners);
  return databaseUrl;
}

const detailOf = ({ perCpuSecond, recorded, memory }: Awaited<ReturnType<typeof backfill>>) => ({
  perCpuSecond,
  recorded,
  memory,
});

/** Has a new indexer record the whole chain. */
async function backfill(world: World, trades: number, rpcUrl: string) {
  const databaseUrl = await emptyDatabase(world);
  const bytesBefore = await withClient(databaseUrl, sizeOf);
  // Its WebSocket stays the node's own, which reports nothing new here.
  const index = await world.start('index', { databaseUrl, cores: allCores, env: { KARAT_RPC_URL: rpcUrl } });
  try {
    return await withClient(databaseUrl, async (client) => {
      const rows = () => countOf(client, 'select count(*) as n from trades');
      const { rate, perCpuSecond, last } = await follow(rows, trades, index.pid);
      const memory = memoryOf(index.pid);
      await index.stop();
      const recorded = await rows();
      report(
        `backfill through ${rpcUrl}: ${shown(rate)} trades/s (${last} looked at), ${shown(memory.most)} MiB at most`,
      );
      return { rate, perCpuSecond, recorded, memory, bytesBefore, databaseUrl };
    });
  } finally {
    await index.stop();
  }
}

/**
 * Returns how many rows there come to be in a second, and in one of the process's own time, which other work on the core
 * does not lengthen: from the first ones on, until there are so many or time is up.
 */
async function follow(
  rows: () => Promise<number>,
  wanted: number,
  pid: number,
): Promise<{ rate: number; perCpuSecond: number; last: number }> {
  const deadline = performance.now() + 60_000;
  const look = async () => ({ count: await rows(), at: performance.now(), cpu: cpuSecondsOf(pid) });
  let first = await look();
  while (first.count === 0) {
    if (performance.now() > deadline) throw new Error('nothing was recorded within a minute');
    await pause(10);
    first = await look();
  }
  let last = first;
  while (last.count < wanted && performance.now() - first.at < measuredForMs) {
    // Counting more often takes the core of PostgreSQL and the node from what is measured.
    await pause(100);
    const now = await look();
    if (now.count > last.count) last = now;
  }
  if (last === first)
    throw new Error(`all ${last.count} rows were there at the first look: too few to measure`);
  // What is there at the first look came in a batch whose beginning was not seen.
  const count = last.count - first.count;
  return {
    rate: count / ((last.at - first.at) / 1_000),
    perCpuSecond: count / (last.cpu - first.cpu),
    last: last.count,
  };
}

async function countOf(client: pg.Client, text: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(text);
  return Number(rows[0]?.n);
}

/** Bytes of all tables with their indexes. */
async function sizeOf(client: pg.Client): Promise<number> {
  await client.query('vacuum analyze');
  return countOf(
    client,
    `select coalesce(sum(pg_total_relation_size(c.oid)), 0) as n from pg_class c
      where c.relkind in ('r', 'm') and c.relnamespace = 'public'::regnamespace`,
  );
}

/** Has the indexer find out again that everything that is recorded is final. */
async function finalize(world: World, databaseUrl: string, recorded: number) {
  return withClient(databaseUrl, async (client) => {
    await client.query(`insert into unfinalized (id, slot, landed_at, check_at, kind, tx_signature)
      select id, slot, created_at, created_at, 'trade', tx_signature from trades on conflict (id, kind) do update set check_at = excluded.check_at`);
    const index = await world.start('index', { databaseUrl });
    try {
      const { rate, perCpuSecond, last } = await follow(
        () => countOf(client, `select ${recorded} - count(*) as n from unfinalized`),
        recorded,
        index.pid,
      );
      report(`finality: ${shown(rate)} rows/s (${last} looked at)`);
      // The first round in which nothing waits gives the room of the entries back.
      const room = () => countOf(client, "select pg_total_relation_size('unfinalized') as n");
      for (let looks = 0; looks < 50 && (await room()) > 2 ** 19; looks += 1) await pause(100);
      return { rate, perCpuSecond, rows: last };
    } finally {
      await index.stop();
    }
  });
}

/** Does something with the address of the node as it is from far away. */
async function fromFar<T>({ chain }: World, work: (rpcUrl: string) => Promise<T>): Promise<T> {
  const port = new URL(chain.node.rpcUrl).port;
  const proxy: ChildProcess = spawn(process.execPath, [path('delay.mjs'), port, String(roundTripMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    if (!proxy.stdout) throw new Error('the proxy has no output');
    const [line] = await once(proxy.stdout, 'data');
    return await work(`http://127.0.0.1:${String(line).trim()}`);
  } finally {
    await end(proxy);
  }
}

/** Decodes and writes trades whose transactions are in memory already. */
async function measureFromMemory(world: World, trades: number): Promise<Recorded> {
  const databaseUrl = await emptyDatabase(world);
  const recorder = await startRecorder(world, databaseUrl, trades);
  try {
    const result = await recorder.record({ databaseUrl });
    report(
      `from memory: ${shown(result.rate)} trades/s decoded and written, ${shown(result.decodedPerSecond)} decoded alone`,
    );
    return result;
  } finally {
    await recorder.stop();
  }
}
