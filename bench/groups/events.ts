/**
 * How many events eight processes write in a second, without a loss or a gap, and how long after its commit an event is in a
 * stream. The writers and their PostgreSQL share all cores; where events come to a stream, `karat serve` has one of its own.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { appendEvents } from '../../packages/service/src/db/events/events.js';
import type { Uuid } from '../../packages/service/src/domain/index.js';
import type { EmbeddedServer } from '../../packages/service/test/embedded-postgres.js';
import { type BenchOptions, type Figure, percentile, report, shown, warmUpSeconds } from '../figures.js';
import { allCores, keepOn, otherCores, pause } from '../machine.js';
import {
  builtService,
  insertPartners,
  newDatabase,
  newPartner,
  type World,
  withClient,
  withDatabase,
} from '../world.js';

const writer = fileURLToPath(new URL('../processes/write-events.mjs', import.meta.url));
const processes = 8;
/** Events in each transaction, and partners that they are of. */
const jobs = [
  { size: 1, partners: 100 },
  { size: 1, partners: 1 },
  { size: 100, partners: 4 },
  { size: 100, partners: 1 },
] as const;

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  const written = await measureWriters(world, options);
  const [many = Number.NaN, one = Number.NaN, batches = Number.NaN, oneInBatches = Number.NaN] = written;
  const delays = await measureStream(world, options.quick ? 50 : 300);
  return [
    {
      name: `events written by ${processes} processes, one a transaction, 100 partners`,
      value: many,
      unit: 'events/s',
      required: 2_000,
      better: 'higher',
    },
    { name: 'the same of one partner', value: one, unit: 'events/s', better: 'higher' },
    { name: 'the same, 100 a transaction, 4 partners', value: batches, unit: 'events/s', better: 'higher' },
    {
      name: 'the same, 100 a transaction, one partner',
      value: oneInBatches,
      unit: 'events/s',
      better: 'higher',
    },
    {
      name: 'committed -> in the stream, p95',
      value: percentile(delays, 0.95),
      unit: 'ms',
      required: 500,
      better: 'lower',
      detail: { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), events: delays.length },
    },
  ];
}

/** Returns how many events were written in a second by each job. */
async function measureWriters(world: World, options: BenchOptions): Promise<number[]> {
  const ms = options.quick ? 2_000 : 5_000;
  // What is started now, PostgreSQL too, may use all cores.
  keepOn(allCores);
  const postgres = await world.startServer();
  const writers = Array.from({ length: processes }, () => fork(writer, [builtService], { execArgv: [] }));
  try {
    // Twice as long as elsewhere: eight processes compile on the same cores.
    await writeEvents(postgres, writers, { ms: warmUpSeconds(options) * 2_000, ...jobs[0] });
    const written: number[] = [];
    for (const job of jobs) written.push(await writeEvents(postgres, writers, { ms, ...job }));
    return written;
  } finally {
    for (const each of writers) each.kill();
    await world.removeServer(postgres);
    keepOn(otherCores);
  }
}

/** Returns how many were written in a second. Throws when a number is missing, or an event is. */
async function writeEvents(
  postgres: EmbeddedServer,
  writers: readonly ChildProcess[],
  { ms, size, partners: count }: { ms: number; size: number; partners: number },
): Promise<number> {
  const databaseUrl = await newDatabase(postgres);
  const partners = Array.from({ length: count }, () => newPartner(0, 1));
  await insertPartners(databaseUrl, partners);
  const job = { url: databaseUrl, ms, size, partners: partners.map(({ id }) => id) };
  await Promise.all(
    writers.map(async (each) => {
      each.send(job);
      await once(each, 'message');
    }),
  );
  const beganMs = performance.now();
  const counts = await Promise.all(
    writers.map(async (each) => {
      const written = once(each, 'message');
      each.send('go');
      const [number] = await written;
      return Number(number);
    }),
  );
  const seconds = (performance.now() - beganMs) / 1_000;
  const total = counts.reduce((sum, each) => sum + each, 0);
  await withClient(databaseUrl, async (sql) => {
    const { rows } = await sql.query(
      'select count(*)::int as count, (select sum(last)::int from event_counters) as last from (select distinct partner_id, sequence from events) as each',
    );
    if (rows[0]?.count !== total || rows[0]?.last !== total)
      throw new Error(`${total} events were written, the log has ${JSON.stringify(rows[0])}`);
  });
  report(`${count} partners, ${size} a transaction: ${shown(total / seconds)} events/s`);
  return total / seconds;
}

/** Returns how long after its commit each event was in the stream, in ms. */
async function measureStream(world: World, count: number): Promise<number[]> {
  const [partner] = world.partners;
  if (!partner) throw new Error('the world has no partner');
  const service = await world.start('serve');
  const abort = new AbortController();
  try {
    const headers = { 'x-api-key': partner.apiKeys[0] ?? '' };
    const stream = await fetch(`${service.url}/v1/events/stream`, { headers, signal: abort.signal });
    if (stream.status !== 200 || !stream.body) throw new Error(`the stream is ${stream.status}`);
    const arrivals: number[] = [];
    void readStream(stream.body, () => arrivals.push(performance.now())).catch(() => {});
    await pause(500);
    const commits: number[] = [];
    await withDatabase(world.main, async ({ db }) => {
      for (let at = 0; at < count; at += 1) {
        await db.transaction((tx) => appendEvents(tx, [eventOf(partner.id)], new Date()));
        commits.push(performance.now());
        await pause(20 + ((at * 37) % 50));
      }
    });
    await pause(2_000);
    if (arrivals.length !== count) throw new Error(`${arrivals.length} of ${count} events came`);
    // The notification may be quicker than the response to the commit.
    return arrivals.map((ms, at) => Math.max(0, ms - (commits[at] ?? Number.NaN)));
  } finally {
    abort.abort();
    await service.stop();
  }
}

const eventOf = (partnerId: Uuid) =>
  ({
    partnerId,
    type: 'user.created',
    requestId: null,
    objectType: 'user',
    objectId: 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
    object: {},
  }) as const;

async function readStream(body: ReadableStream<Uint8Array>, take: () => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) if (frame.startsWith('id: ')) take();
  }
}
