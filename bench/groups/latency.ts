/**
 * How long callers wait at a load that a desk has: requests arrive at fixed rates, whatever became of those before them, and
 * each is timed from when it was due. Quotes at three rates, then all that a desk does at once.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type BenchOptions, type Figure, report, shown, warmUpSeconds } from '../figures.js';
import { pause } from '../machine.js';
import { quoteToSubmit } from '../submits.js';
import { fillTrades, partnerAt } from '../tables.js';
import {
  insertKeys,
  insertPartners,
  type KaratProcess,
  measureLoad,
  newDatabase,
  newPartner,
  type QuoteRequest,
  type World,
  withClient,
  withDatabase,
} from '../world.js';
import { makeStatement } from './reserves.js';

/** Requests of one kind that are due at equal distances. */
interface Stream {
  name: string;
  /** A second. */
  rate: number;
  requests: QuoteRequest[];
}

/** Milliseconds from when requests were due until all of a response was there; `lag`: until they were sent. */
interface Measured {
  responses: number;
  statuses: Record<string, number>;
  p50: number;
  p95: number;
  p99: number;
  p999: number;
  most: number;
  lag: { p50: number; p99: number; most: number };
}

/** Above that, the latencies would be those of the process that makes the load. */
const maxLagMs = 4;
const maxTries = 2;
const quoteRates = [100, 1_000, 3_000] as const;
/** What is held at a rate of quotes. */
const held: Record<number, Partial<Record<Percentile, { required: number; aim: number }>>> = {
  1000: { p99: { required: 8, aim: 4 }, p999: { required: 20, aim: 10 } },
  3000: { p99: { required: 15, aim: 8 } },
};
const percentiles = { p50: 'p50', p99: 'p99', p999: 'p99.9' } as const;
type Percentile = keyof typeof percentiles;
/** Rows of the table that records and lists are read from, a seventh of them the reading partner's. */
const tradeRows = 200_000;
const bars = 1_000;
/** By then what the node was set up with is finalized: a node whose time is moved forward has no price for quotes. */
const finalizedMs = 16_000;

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  const { databaseUrl, reads } = await fillDesk(world);
  const service = await world.start('serve', { databaseUrl });
  const loader = fork(fileURLToPath(new URL('../processes/arrivals.mjs', import.meta.url)), { execArgv: [] });
  const arrive: Arrive = async (makeStreams, seconds) => {
    for (let tries = 1; ; tries += 1) {
      const streams = await makeStreams();
      loader.send({ url: service.url, streams, seconds });
      const [measured] = (await once(loader, 'message')) as [Record<string, Measured>];
      // All are sent by one loop: the first stream, which has the most requests, shows whether it was late.
      const [inTime] = streams.map(({ name }) => wasInTime(name, measured[name]));
      if (inTime) return measured;
      if (tries === maxTries) {
        report('WARNING: requests were sent late: other work keeps the load from its core');
        return {};
      }
    }
  };
  try {
    const connections = 50;
    await measureLoad(world, service, {
      requests: world.requests,
      connections,
      seconds: warmUpSeconds(options),
    });
    const seconds = options.quick ? 5 : 15;
    const figures: Figure[] = [];
    for (const rate of quoteRates) {
      const { quotes } = await arrive(() => [{ name: 'quotes', rate, requests: world.requests }], seconds);
      figures.push(...figuresOfQuotes(rate, quotes));
    }
    return [...figures, ...(await measureDesk(world, service, reads, { arrive, seconds }))];
  } finally {
    loader.disconnect();
    await service.stop();
  }
}

/**
 * Measures requests that arrive for so many seconds: again, with new ones, when they were sent late. Returns nothing when they
 * were late every time, and throws when one fails.
 */
type Arrive = (
  makeStreams: () => Stream[] | Promise<Stream[]>,
  seconds: number,
) => Promise<Record<string, Measured>>;

/** Returns whether requests were sent when they were due. Throws when one of them failed. */
function wasInTime(name: string, measured: Measured | undefined): boolean {
  if (!measured) throw new Error(`${name} were not measured`);
  const { responses, statuses, lag } = measured;
  if (statuses[200] !== responses) throw new Error(`not all ${name} succeeded: ${JSON.stringify(statuses)}`);
  const of = (of: Pick<Measured, 'p50' | 'p99' | 'most'>) =>
    `${shown(of.p50)}, ${shown(of.p99)}, ${shown(of.most)}`;
  report(`${name}: ${of(measured)} ms (p50, p99, most); sent ${of(lag)} ms late`);
  return lag.p99 <= maxLagMs;
}

/** Without a measurement the figures are none, and what is held is missed. */
function figuresOfQuotes(rate: number, measured: Measured | undefined): Figure[] {
  return (Object.keys(percentiles) as Percentile[]).map((each) => ({
    name: `quotes at ${shown(rate)} a second, ${percentiles[each]} since they were due`,
    value: measured?.[each] ?? Number.NaN,
    unit: 'ms',
    ...held[rate]?.[each],
    better: 'lower',
    detail: { ...measured },
  }));
}

/** Measures everything that a desk does, at once. */
async function measureDesk(
  world: World,
  service: KaratProcess,
  reads: Stream[],
  { arrive, seconds }: { arrive: Arrive; seconds: number },
): Promise<Figure[]> {
  const quotes = { name: 'quotes', rate: 100, requests: world.requests };
  const measured = await arrive(async () => {
    const submits: Stream = { name: 'submits', rate: 10, requests: [] };
    // One for each that is due, those before anything counts included.
    for (let place = 0; place < submits.rate * (seconds + 2); place += 1)
      submits.requests.push(await quoteToSubmit(world, service.url, place));
    return [quotes, submits, ...reads];
  }, seconds);
  const figure = (stream: string, name: string, share: 'p50' | 'p95' | 'p99', held = {}): Figure => ({
    name: `at a desk's load: ${name}, ${share}`,
    value: measured[stream]?.[share] ?? Number.NaN,
    unit: 'ms',
    ...held,
    better: 'lower',
    detail: { ...measured[stream] },
  });
  return [
    figure('submits', 'submit -> tx_hash', 'p50'),
    figure('submits', 'submit -> tx_hash', 'p95', { required: 30, aim: 15 }),
    figure('quotes', 'quote', 'p99'),
    figure('records', 'record of a trade', 'p99'),
    figure('lists', `list of 100 of ${shown(tradeRows)} trades`, 'p95'),
    figure('reserves', 'GET /v1/reserves', 'p95'),
  ];
}

/** Makes a database with the partners and users of the world, trades to read, and a statement of the reserves. */
async function fillDesk(world: World) {
  const begunMs = performance.now();
  const databaseUrl = await newDatabase(world.postgres);
  await insertPartners(databaseUrl, world.partners);
  await fillTrades(databaseUrl, tradeRows);
  await pause(begunMs + finalizedMs - performance.now());
  await makeStatement(world, databaseUrl, bars);
  const reader = { ...newPartner(0, 1), id: partnerAt(0) };
  await withDatabase(databaseUrl, ({ db }) => db.transaction((tx) => insertKeys(tx, [reader])));
  const headers = { 'x-api-key': reader.apiKeys[0] ?? '' };
  const get = (path: string): QuoteRequest => ({ method: 'GET', path, headers });
  const own = await withClient(databaseUrl, (sql) =>
    sql.query<{ id: string }>(
      `select id from trades where partner_id = $1 order by hashtext(id::text) limit 500`,
      [reader.id],
    ),
  );
  const reads: Stream[] = [
    { name: 'records', rate: 50, requests: own.rows.map(({ id }) => get(`/v1/trades/trd_${id}`)) },
    {
      name: 'lists',
      rate: 10,
      requests: ['', '&side=buy', '&status=failed', '&side=sell'].map((filter) =>
        get(`/v1/trades?limit=100${filter}`),
      ),
    },
    { name: 'reserves', rate: 10, requests: [get('/v1/reserves')] },
  ];
  return { databaseUrl, reads };
}
