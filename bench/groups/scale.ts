/**
 * What docs/scale.md rests on: what a trade takes of the chain's limits, what recording 2,000 trades a second takes of the
 * indexer and of one PostgreSQL that has a history, and what the first steps beyond that would bring: compressed WAL, a
 * table of trades in monthly parts, and a second database for half of the partners.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type pg from 'pg';
import { findTrades } from '../../packages/service/src/db/trades/trades.js';
import type { EmbeddedServer } from '../../packages/service/test/embedded-postgres.js';
import { type BenchOptions, type Figure, median, percentile, report, shown } from '../figures.js';
import { allCores, cpuSecondsOfServer, keepOn, otherCores } from '../machine.js';
import { type Recorded, type RecordJob, type RecordProcess, startRecorder } from '../recorder.js';
import { fillEffects, fillTrades, partitionTrades, partnerAt, userAt } from '../tables.js';
import { landTrades } from '../trades.js';
import { insertPartners, newDatabase, type World, withClient, withDatabase } from '../world.js';

const perSecond = 2_000;
const months = 12;
/** Trades that are there before. */
const history = 1_000_000;

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  const trades = options.quick ? 2_000 : 10_000;
  await landTrades(world, trades);
  const chain = await measureChain(world);
  // What is started now, PostgreSQL too, may use all cores.
  keepOn(allCores);
  const postgres = await world.startServer(['wal_level=replica']);
  const recorders: RecordProcess[] = [];
  try {
    const full = await databaseWithHistory(world, postgres);
    const empty = await newDatabase(postgres);
    await insertPartners(empty, world.partners);
    recorders.push(await startRecorder(world, empty, trades));
    recorders.push(await startRecorder(world, empty, trades));
    const stage: Stage = { postgres, recorders, full, empty };
    return [...chain, ...(await measureHistory(stage)), ...(await measureWriters(stage))];
  } finally {
    for (const each of recorders) await each.stop();
    await world.removeServer(postgres);
    keepOn(otherCores);
  }
}

interface Stage {
  postgres: EmbeddedServer;
  recorders: RecordProcess[];
  /** Addresses of databases that others are copied from: with a history, and with the partners alone. */
  full: string;
  empty: string;
}

async function databaseWithHistory(world: World, postgres: EmbeddedServer): Promise<string> {
  const url = await newDatabase(postgres);
  const begun = performance.now();
  await fillTrades(url, history, { whole: true });
  await fillEffects(url);
  await insertPartners(url, world.partners);
  report(`a history of ${shown(history)} trades in ${Math.round((performance.now() - begun) / 1_000)} s`);
  return url;
}

/** Compute units of the runtime's cost model, as Agave 4 has it in `cost-model/src/block_cost_limits.rs`. */
const unitsOf = { signature: 720, writeLock: 300, dataBytes: 4, loadedPage: 8 };
const loadedPageBytes = 32 * 1_024;
/** What transactions that write one account may cost in a second: 40 % of a block of 100 million for each 400 ms. */
const accountUnitsPerSecond = 100_000_000;

/** Works out what one trade of each second costs of what the chain allows those that write one account. */
async function measureChain({ chain }: World): Promise<Figure[]> {
  const rpc = <T>(method: string, params: unknown[]) => call<T>(chain.node.rpcUrl, method, params);
  const listed = await rpc<{ signature: string }[]>('getSignaturesForAddress', [
    chain.config.programId,
    { limit: 100 },
  ]);
  const costs: { units: number; executed: number; shape: ReturnType<typeof shapeOf>; loaded: number }[] = [];
  for (const { signature } of listed) {
    const { transaction, meta } = await rpc<{
      transaction: [string, string];
      meta: { computeUnitsConsumed: number };
    }>('getTransaction', [signature, { encoding: 'base64' }]);
    const simulated = await rpc<{ value: { loadedAccountsDataSize: number } }>('simulateTransaction', [
      transaction[0],
      { encoding: 'base64', replaceRecentBlockhash: true, sigVerify: false },
    ]);
    const shape = shapeOf(Buffer.from(transaction[0], 'base64'));
    const loaded = Math.ceil(simulated.value.loadedAccountsDataSize / loadedPageBytes) * unitsOf.loadedPage;
    const executed = meta.computeUnitsConsumed;
    const data = Math.floor(shape.dataBytes / unitsOf.dataBytes);
    const fixed = shape.signers * unitsOf.signature + shape.writable * unitsOf.writeLock + data;
    costs.push({ units: fixed + executed + loaded, executed, shape, loaded });
  }
  const units = median(costs.map((cost) => cost.units));
  const executed = median(costs.map((cost) => cost.executed));
  const detail = { ...costs[0]?.shape, loaded: costs[0]?.loaded, executed };
  report(`a trade costs ${shown(units)} units: ${JSON.stringify(detail)}`);
  return [
    { name: 'what a trade costs of a block', value: units, unit: 'CU', better: 'lower', detail },
    {
      name: 'computed: trades that one treasury can carry',
      value: accountUnitsPerSecond / units,
      unit: '/s',
      better: 'higher',
    },
  ];
}

/** Returns what the cost model counts of a transaction. */
function shapeOf(bytes: Uint8Array): { signers: number; writable: number; dataBytes: number } {
  const { messageBytes } = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (!('instructions' in message)) throw new Error('the transaction has no instructions');
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
  return {
    signers: numSignerAccounts,
    writable: message.staticAccounts.length - numReadonlySignerAccounts - numReadonlyNonSignerAccounts,
    dataBytes: message.instructions.reduce((sum, { data }) => sum + (data?.length ?? 0), 0),
  };
}

async function call<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await response.json()) as { result?: T };
  if (body.result === undefined) throw new Error(`${method} failed: ${JSON.stringify(body)}`);
  return body.result;
}

/** Measures recording into a table that has a history: as the schema is, with compressed WAL, and in monthly parts. */
async function measureHistory({ postgres, recorders: [recorder], full }: Stage): Promise<Figure[]> {
  if (!recorder) throw new Error('nothing records');
  const run = async (prepare: (url: string) => Promise<unknown>) => {
    const databaseUrl = await copyOf(postgres, full);
    await prepare(databaseUrl);
    const measured = await measureRecording(postgres, recorder, { databaseUrl, perSecond });
    return { ...measured, databaseUrl };
  };
  const whole = await run(async () => {});
  const compressed = await run((url) =>
    withClient(url, (sql) => sql.query(`alter database ${nameOf(url)} set wal_compression = 'pglz'`)),
  );
  const parted = await run((url) => partitionTrades(url, months));
  const pages = { whole: await pageMs(whole.databaseUrl), parted: await pageMs(parted.databaseUrl) };
  const of = `${shown(perSecond)} trades/s`;
  const { micros, rate, wal, waits } = whole;
  return [
    {
      name: 'processor time of the indexer for a trade',
      value: micros.index,
      unit: 'µs',
      better: 'lower',
      detail: { mainThread: micros.main, rate },
    },
    { name: 'processor time of PostgreSQL for a trade', value: micros.database, unit: 'µs', better: 'lower' },
    {
      name: `delay of a batch of 500 at ${of}, p95`,
      value: percentile(waits, 0.95),
      unit: 'ms',
      better: 'lower',
      detail: { waits },
    },
    {
      name: `WAL of a trade right after a checkpoint, ${shown(history)} there`,
      value: wal.all,
      unit: 'bytes',
      better: 'lower',
      detail: { ...wal },
    },
    { name: 'of that, records without page images', value: wal.records, unit: 'bytes', better: 'lower' },
    {
      name: 'the same with wal_compression',
      value: compressed.wal.all,
      unit: 'bytes',
      ratio: { to: 'WAL without it', value: compressed.wal.all / wal.all },
      better: 'lower',
      detail: { databaseMicros: compressed.micros.database },
    },
    {
      name: `the same with trades in ${months} parts by month`,
      value: parted.wal.all,
      unit: 'bytes',
      ratio: { to: 'WAL of one table', value: parted.wal.all / wal.all },
      better: 'lower',
      detail: { databaseMicros: parted.micros.database },
    },
    {
      name: `a page of a list with trades in ${months} parts`,
      value: pages.parted,
      unit: 'ms',
      ratio: { to: 'a page of one table', value: pages.parted / pages.whole },
      better: 'lower',
    },
  ];
}

/** Measures one writer alone, and two at once with a database and half of the partners each. */
async function measureWriters({ postgres, recorders, empty }: Stage): Promise<Figure[]> {
  const rates: { one: number; two: number }[] = [];
  const cpu: { one: number; two: number }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const [first, second] = recorders;
    if (!first || !second) throw new Error('nothing records');
    const write = async (recorder: RecordProcess, half?: 0 | 1) => {
      const databaseUrl = await copyOf(postgres, empty);
      return { recorder, job: { databaseUrl, decoded: true, ...(half === undefined ? {} : { half }) } };
    };
    const one = await writeAtOnce(postgres, [await write(first)]);
    const two = await writeAtOnce(postgres, [await write(first, 0), await write(second, 1)]);
    rates.push({ one: one.rate, two: two.rate });
    cpu.push({ one: one.perCpuSecond, two: two.perCpuSecond });
  }
  const ratio = (of: typeof rates) => median(of.map(({ one, two }) => two / one));
  report(`two writers record ${shown(ratio(cpu))} times as many in a second of processor time`);
  return [
    {
      name: 'decoded trades that one writer records',
      value: median(rates.map(({ one }) => one)),
      unit: '/s',
      better: 'higher',
      detail: { perCpuSecond: median(cpu.map(({ one }) => one)) },
    },
    {
      name: 'two writers, each with half of the partners and a database',
      value: median(rates.map(({ two }) => two)),
      unit: '/s',
      ratio: { to: 'one writer', value: ratio(rates) },
      better: 'higher',
      detail: { perCpuSecondToOne: ratio(cpu) },
    },
  ];
}

/** Records with each of these at once, and returns how many trades a second all of them wrote, and in one of processor time. */
async function writeAtOnce(
  postgres: EmbeddedServer,
  writers: { recorder: RecordProcess; job: RecordJob }[],
): Promise<{ rate: number; perCpuSecond: number }> {
  const before = cpuSecondsOfServer(postmasterOf(postgres));
  const done = await Promise.all(writers.map(({ recorder, job }) => recorder.record(job)));
  const trades = done.reduce((sum, each) => sum + each.trades, 0);
  const own = done.reduce((sum, each) => sum + each.cpuSeconds, 0);
  const database = cpuSecondsOfServer(postmasterOf(postgres)) - before;
  return {
    rate: done.reduce((sum, each) => sum + each.rate, 0),
    perCpuSecond: trades / (own + database),
  };
}

/** Records once, right after a checkpoint, and returns what it took of the indexer and of PostgreSQL. */
async function measureRecording(postgres: EmbeddedServer, recorder: RecordProcess, job: RecordJob) {
  const taken: { cpu: number; at: string }[] = [];
  const inspect = <T>(work: (sql: pg.Client) => Promise<T>) => withClient(`${postgres.url}/postgres`, work);
  await inspect(async (sql) => {
    await sql.query('create extension if not exists pg_walinspect');
    await sql.query('checkpoint');
  });
  const done: Recorded = await recorder.record(job, async () => {
    const cpu = cpuSecondsOfServer(postmasterOf(postgres));
    const { rows } = await inspect((sql) =>
      sql.query<{ at: string }>('select pg_current_wal_flush_lsn() as at'),
    );
    taken.push({ cpu, at: rows[0]?.at ?? '' });
  });
  const [before, after] = taken;
  if (!before || !after) throw new Error('nothing was measured');
  const { rows } = await inspect((sql) =>
    sql.query<{ records: string; images: string }>(
      'select sum(record_size) as records, sum(fpi_size) as images from pg_get_wal_stats($1, $2)',
      [before.at, after.at],
    ),
  );
  const [records, images] = [Number(rows[0]?.records), Number(rows[0]?.images)];
  const { seconds, trades } = done;
  const each = (cpuSeconds: number) => (cpuSeconds / trades) * 1e6;
  const result = {
    /** As many as came in a second; fewer where other work takes the cores. */
    rate: trades / seconds,
    /** Microseconds of processor time for a trade; those of the thread that decodes and writes are part of the indexer's. */
    micros: {
      index: each(done.cpuSeconds),
      main: each(done.mainSeconds),
      database: each(after.cpu - before.cpu),
    },
    /** Bytes for each trade: of records, and of the pages that were written for the first time since the checkpoint. */
    wal: { records: records / trades, images: images / trades, all: (records + images) / trades },
    waits: done.waits,
  };
  const { micros, wal } = result;
  report(
    `${shown(result.rate)} trades/s: ${shown(micros.index)} µs of the indexer for each, ${shown(micros.database)} of PostgreSQL, ` +
      `${shown(wal.records)} bytes of WAL and ${shown(wal.images)} of page images`,
  );
  return result;
}

/** Measures the first page of lists by usual filters; the median of each, and of those the median. */
async function pageMs(url: string): Promise<number> {
  const filters = [
    {},
    { partnerId: partnerAt(0) },
    { userId: userAt(0) },
    { side: 'buy' as const },
    { status: 'failed' as const },
  ];
  return withDatabase(url, async ({ db }) => {
    const medians: number[] = [];
    for (const filter of filters) {
      const taken: number[] = [];
      for (let calls = 0; calls < 60; calls += 1) {
        const begun = performance.now();
        await findTrades(db, filter, { limit: 100, after: undefined });
        if (calls >= 10) taken.push(performance.now() - begun);
      }
      medians.push(median(taken));
    }
    report(`pages of lists: ${medians.map(shown).join(', ')} ms`);
    return median(medians);
  });
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Makes a copy of a database, to which nothing is connected, and returns its address. */
async function copyOf(postgres: EmbeddedServer, url: string): Promise<string> {
  const name = `${nameOf(url)}_${randomBytes(4).toString('hex')}`;
  await withClient(`${postgres.url}/postgres`, (sql) =>
    sql.query(`create database ${name} template ${nameOf(url)} strategy file_copy`),
  );
  return `${postgres.url}/${name}`;
}

/** Returns the process that has started all others of a server. */
function postmasterOf({ data }: EmbeddedServer): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
}
