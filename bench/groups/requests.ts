/**
 * What the log of partners' requests costs: quotes for one CPU second and the time of submits with the log and without it, in
 * turns, the room that it takes, and how soon a page of it is there.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findRequests, type RequestFilter } from '../../packages/service/src/db/requests/request-log.js';
import type { Uuid } from '../../packages/service/src/domain/index.js';
import {
  type BenchOptions,
  type Figure,
  median,
  percentile,
  report,
  shown,
  warmUpSeconds,
} from '../figures.js';
import { serviceCore, spawnOn } from '../machine.js';
import { quoteToSubmit } from '../submits.js';
import {
  builtService,
  type KaratProcess,
  measureLoad,
  type World,
  withClient,
  withDatabase,
} from '../world.js';
import { startRaw } from './quotes.js';

const without = fileURLToPath(new URL('../processes/without-request-log.mjs', import.meta.url));
const connections = 50;
const submitsOfRound = 40;
/** Of a partner, in the table that is listed. */
const listedRows = 100_000;

interface Pair {
  logging: KaratProcess;
  silent: KaratProcess;
}

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  const own = await measureOwn(world, options);
  const script = fileURLToPath(new URL('main.js', builtService));
  const logging = await world.start('serve', { script });
  const silent = await world.start('serve', {
    script,
    env: { NODE_OPTIONS: `--import=${without}`, BENCH_SERVICE: builtService },
  });
  try {
    const pair = { logging, silent };
    const warmUp = { requests: world.requests, connections, seconds: warmUpSeconds(options) / 2 };
    for (const process of [logging, silent]) await measureLoad(world, process, warmUp);
    const quotes = await measureQuotes(world, pair, options, 'quotes with the request log');
    const room = await measureRoom(world);
    const submits = await measureSubmits(world, pair, options.quick ? 3 : 6);
    await withClient(world.main, (sql) => sql.query('update request_counts set logged = 100000'));
    const full = await measureQuotes(world, pair, options, 'quotes with the request log, the day full');
    return [own, quotes, full, submits, room, await measureLists(world)];
  } finally {
    await logging.stop();
    await silent.stop();
  }
}

/**
 * Measures what the log itself takes of processor time for each quote, with the writing of its batches, in a process of its own
 * and in turns with raw signatures: on a busy machine, two processes that serve differ by more than that.
 */
async function measureOwn({ main }: World, { quick }: BenchOptions): Promise<Figure> {
  const batches = quick ? 200 : 600;
  const job = { service: builtService, databaseUrl: main, batches, size: quotesOfBatch };
  const raw = startRaw(usualMessageBytes);
  const micros: number[] = [];
  const signatures: number[] = [];
  const child = spawnOn(
    serviceCore,
    [fileURLToPath(new URL('../processes/log-quotes.mjs', import.meta.url))],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { PATH: process.env.PATH ?? '', JOB: JSON.stringify(job) },
    },
  );
  child.on('message', (taken) => micros.push(taken as number));
  const ended = once(child, 'exit');
  while (child.exitCode === null) signatures.push(await raw.measure(0.1));
  await ended;
  await raw.stop();
  // Until then it is not compiled.
  const settled = micros.slice(batches / 3);
  const ofQuote = 1e6 / (median(signatures) * quotesForSignature);
  const [low, share, high] = [0.1, 0.5, 0.9].map((part) => percentile(settled, part) / ofQuote) as [
    number,
    number,
    number,
  ];
  report(
    `the log takes ${shown(median(settled))} µs of a quote: ${shown(100 * share)} %, ${shown(100 * low)} to ${shown(100 * high)}`,
  );
  return {
    name: 'what the request log takes of a quote',
    value: median(settled),
    unit: 'µs of CPU',
    ratio: { to: 'what a quote takes', value: share },
    required: 0.02,
    aim: 0.01,
    better: 'lower',
    detail: { micros, signatures },
  };
}

/** What is written at once under full load. */
const quotesOfBatch = 250;
/** Bytes of the message of a quote. */
const usualMessageBytes = 550;
/** Quotes in the processor time of a signature, as the group `quotes` measures it. */
const quotesForSignature = 0.124;

/** Measures both in every round, now the one first and now the other. */
async function measureQuotes(
  world: World,
  pair: Pair,
  { quick }: BenchOptions,
  name: string,
): Promise<Figure> {
  const job = { requests: world.requests, connections, seconds: quick ? 1 : 2 };
  const ratios: number[] = [];
  const values: number[] = [];
  for (let round = 0; round < (quick ? 6 : 10); round += 1) {
    const measured = { logging: 0, silent: 0 };
    for (const which of round % 2 ? (['logging', 'silent'] as const) : (['silent', 'logging'] as const))
      measured[which] = (await measureLoad(world, pair[which], job)).perCpuSecond;
    values.push(measured.logging);
    ratios.push(measured.logging / measured.silent);
  }
  const [low, high] = [percentile(ratios, 0.1), percentile(ratios, 0.9)];
  report(`${name}: ${shown(median(ratios))} of those without it, ${shown(low)} to ${shown(high)}`);
  return {
    name,
    value: median(values),
    unit: 'per CPU second',
    ratio: { to: 'quotes without it', value: median(ratios) },
    required: 0.98,
    aim: 1,
    better: 'higher',
    detail: { ratios },
  };
}

/** Returns how much a logged quote takes in the database, with its indexes. */
async function measureRoom({ main }: World): Promise<Figure> {
  const bytes = await withClient(main, async (sql) => {
    await sql.query('vacuum analyze request_log');
    const { rows } = await sql.query<{ bytes: string; rows: string }>(
      `select sum(pg_total_relation_size(inhrelid)) as bytes, (select count(*) from request_log) as rows
       from pg_inherits where inhparent = 'request_log'::regclass`,
    );
    report(`${rows[0]?.rows} requests are logged`);
    return Number(rows[0]?.bytes) / Number(rows[0]?.rows);
  });
  return { name: 'a logged quote', value: bytes, unit: 'bytes', better: 'lower' };
}

/** Measures how long a submit takes in each process, a few at a time, in turns. */
async function measureSubmits(world: World, pair: Pair, rounds: number): Promise<Figure> {
  const taken = { logging: [] as number[], silent: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const which of round % 2 ? (['logging', 'silent'] as const) : (['silent', 'logging'] as const))
      taken[which].push(...(await submitTimes(world, pair[which], round)));
  }
  const [logging, silent] = [percentile(taken.logging, 0.95), percentile(taken.silent, 0.95)];
  report(`p95 of a submit: ${shown(logging)} ms with the log, ${shown(silent)} ms without it`);
  return {
    name: 'p95 of a submit with the request log',
    value: logging,
    unit: 'ms',
    ratio: { to: 'the same without it', value: logging / silent },
    better: 'lower',
    detail: { p50: median(taken.logging), p50Without: median(taken.silent), submits: taken.logging.length },
  };
}

async function submitTimes(world: World, { url }: KaratProcess, round: number): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const lane = async () => {
    while (next < submitsOfRound) {
      const place = round * submitsOfRound + next;
      next += 1;
      const submit = await quoteToSubmit(world, url, place);
      const begunMs = performance.now();
      const response = await fetch(`${url}${submit.path}`, submit);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`no submit: ${text}`);
      times.push(performance.now() - begunMs);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return times;
}

/** Measures the first page of a list of 100,000 requests by each filter; the slowest is the figure. */
async function measureLists({ main }: World): Promise<Figure> {
  const partner = randomUUID() as Uuid;
  const key = randomUUID() as Uuid;
  const rare = `trd_${randomUUID()}`;
  await withClient(main, async (sql) => {
    await sql.query(
      `insert into request_log (id, created_at, partner_id, key_id, duration_ms, status, method, route, request_id, object_id)
       select gen_random_uuid(), now() - number * interval '100 ms', $1, $2, 1, case when number % 1000 = 0 then 503 else 200 end,
         case when number % 1000 = 0 then 'PATCH' else 'POST' end, case when number % 1000 = 0 then '/v1/rare' else '/v1/buy' end,
         'request ' || number, case when number = 99000 then $3 else 'trd_' || gen_random_uuid() end
       from generate_series(1, ${listedRows}) as number`,
      [partner, key, rare],
    );
    await sql.query('analyze request_log');
  });
  const filters: RequestFilter[] = [
    {},
    { status: 503 },
    { method: 'PATCH' },
    { path: '/v1/rare' },
    { keyId: key },
    { objectId: rare },
    { requestId: 'request 99000' },
    { status: 200, path: '/v1/rare' },
  ];
  const times: number[] = [];
  await withDatabase(main, async ({ db }) => {
    for (const filter of filters) {
      const own: number[] = [];
      for (let count = 0; count < 20; count += 1) {
        const begunMs = performance.now();
        await findRequests(db, partner, filter, new Date(0), { limit: 101, after: undefined });
        own.push(performance.now() - begunMs);
      }
      report(`first page by ${JSON.stringify(Object.keys(filter))}: ${shown(median(own))} ms`);
      times.push(median(own));
    }
  });
  return {
    name: 'first page of 100,000 logged requests, by the slowest filter',
    value: Math.max(...times),
    unit: 'ms',
    required: 20,
    aim: 5,
    better: 'lower',
  };
}
