/**
 * Pages of 100 trades out of many: the first and the thousandth, for each filter and combination that the partner and the
 * operator API offer, and those that match nothing. Asks PostgreSQL how it reads each, too: none may sort, or scan the table.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { drizzleOn } from '../../packages/service/src/db/client.js';
import { Pool } from '../../packages/service/src/db/connections.js';
import type { PageOf, Position } from '../../packages/service/src/db/page.js';
import { findTrades, type Trade } from '../../packages/service/src/db/trades/trades.js';
import type { TradeId, UserId, Uuid } from '../../packages/service/src/domain/index.js';
import { type BenchOptions, type Figure, percentile, report, shown } from '../figures.js';
import { allCores, keepOn, keepProcessOn, otherCores, ownCpuSecondsOf, serviceCore } from '../machine.js';
import { fillTrades, partnerAt, quietPartner, tradeAt, userAt } from '../tables.js';
import { newDatabase, type World, withClient } from '../world.js';

const limit = 100;
const thousandth = 999;
/** So many that the one in a hundred that takes longest is not just the worst of all. */
const callsOfEach = 300;
/** Of each combination of filters, before anything counts. */
const warmUpCalls = 30;
/** A case that takes long is known by fewer calls. */
const msOfEach = 3_000;

type TradeFilter = Partial<Pick<Trade, 'partnerId' | 'userId' | 'side' | 'status'>>;

interface Case {
  name: string;
  filter: TradeFilter;
  /** Share of all rows that match. */
  share: number;
}

interface Measured {
  name: string;
  page: 'first' | 'thousandth' | 'nothing';
  p50: number;
  p99: number;
  calls: number;
  /** Processor time of a call, of this process and of its PostgreSQL session, which other work hardly changes. */
  cpuMs: number;
  /** Nodes of the plan that a page should not have. */
  faults: string[];
}

export async function measure(world: World, { rows }: BenchOptions): Promise<Figure[]> {
  // Both cores fill the table, and what is in it need not survive a crash.
  keepOn(allCores);
  // The node shares the cores of PostgreSQL: each of its slots would take a few milliseconds of one page.
  world.chain.node.pause();
  const postgres = await world.startServer(['fsync=off', 'full_page_writes=off', 'maintenance_work_mem=1GB']);
  try {
    const url = await newDatabase(postgres);
    const begun = performance.now();
    await fillTrades(url, rows);
    report(
      `${shown(rows)} trades written and indexed in ${Math.round((performance.now() - begun) / 1_000)} s`,
    );
    keepOn(otherCores);
    const measured = await measureApart(url, rows);
    const bytes = await withClient(url, (sql) =>
      sql.query(`select pg_total_relation_size('trades') + coalesce((select sum(pg_total_relation_size(inhrelid))
        from pg_inherits where inhparent = 'trades'::regclass), 0) as n`),
    );
    const worst = (page: Measured['page']) => measured.filter((each) => each.page === page);
    const faulty = measured.filter(({ faults }) => faults.length > 0);
    for (const { name, page, faults } of faulty.slice(0, 8))
      report(`${name}, ${page} page: ${faults.join(', ')}`);
    const figure = (what: string, of: Measured[]): Figure => ({
      name: `100 of ${shown(rows)} trades, ${what}, p99 of the worst filter`,
      value: Math.max(...of.map(({ p99 }) => p99)),
      unit: 'ms',
      required: 10,
      aim: 5,
      better: 'lower',
      detail: {
        p50OfTheMedianFilter: percentile(
          of.map(({ p50 }) => p50),
          0.5,
        ),
        cpuMsOfTheWorstFilter: Math.max(...of.map(({ cpuMs }) => cpuMs)),
        cases: of,
      },
    });
    return [
      figure('first page', worst('first')),
      figure('thousandth page', worst('thousandth')),
      figure('filters that match nothing', worst('nothing')),
      {
        name: `lists of ${measured.length} that sort, or scan for their rows`,
        value: faulty.length,
        unit: '',
        required: 0,
        better: 'lower',
      },
      {
        name: 'table of trades with its indexes',
        value: Number(bytes.rows[0]?.n) / rows,
        unit: 'bytes a row',
        better: 'lower',
      },
    ];
  } finally {
    await world.removeServer(postgres);
    world.chain.node.resume();
    keepOn(otherCores);
  }
}

/** Measures in a process of its own: the collector takes longer in this one, which has the node. */
async function measureApart(url: string, rows: number): Promise<Measured[]> {
  const child = fork(fileURLToPath(new URL('../processes/list-pages.ts', import.meta.url)), [
    url,
    String(rows),
  ]);
  return new Promise((resolve, reject) => {
    child.once('message', (measured) => resolve(measured as Measured[]));
    child.once('exit', (code) => reject(new Error(`the process that lists pages ended with ${code}`)));
  });
}

/** Every combination of filters, for a partner and a user with many trades. */
function matchingCases(): Case[] {
  const parts: [string, TradeFilter, number][] = [
    ['partner', { partnerId: partnerAt(0) }, 0.145],
    ['user', { userId: userAt(0) }, 0.05],
    ['side', { side: 'buy' }, 0.51],
    ['status', { status: 'failed' }, 0.02],
  ];
  return Array.from({ length: 2 ** parts.length }, (_, mask) =>
    parts.filter((_part, bit) => mask & (1 << bit)),
  ).map((chosen) => {
    const names = chosen.map(([name]) => name);
    const share = (name: string, of: number) => (names.includes(name) ? of : 1);
    // The user's trades are all of that partner, and all that failed are buys.
    const owner = names.includes('user') ? 0.05 : share('partner', 0.145);
    const kind = names.includes('status') ? 0.02 : share('side', 0.51);
    return {
      name: names.join(' + ') || 'all',
      filter: Object.assign({}, ...chosen.map(([, filter]) => filter)) as TradeFilter,
      share: owner * kind,
    };
  });
}

function emptyCases(): Case[] {
  const unknown = '00000000-0000-7000-8000-ffffffffffff' as Uuid;
  const stranger = `gu_${unknown}` as UserId;
  const filters: Record<string, TradeFilter> = {
    'unknown partner': { partnerId: unknown },
    'unknown partner + side': { partnerId: unknown, side: 'buy' },
    'unknown user': { userId: stranger },
    'partner + unknown user': { partnerId: partnerAt(0), userId: stranger },
    'partner + user of another': { partnerId: partnerAt(1), userId: userAt(0) },
    'side + status': { side: 'sell', status: 'failed' },
    'partner + side + status': { partnerId: partnerAt(0), side: 'sell', status: 'failed' },
    'user + side + status': { userId: userAt(0), side: 'sell', status: 'failed' },
    'partner + user + side + status': {
      partnerId: partnerAt(0),
      userId: userAt(0),
      side: 'sell',
      status: 'failed',
    },
    'partner that only buys + side': { partnerId: quietPartner, side: 'sell' },
    'partner that never fails + status': { partnerId: quietPartner, status: 'failed' },
  };
  return Object.entries(filters).map(([name, filter]) => ({ name, filter, share: 0 }));
}

/** Measures each case in this process. */
export async function measureCases(url: string, rows: number): Promise<Measured[]> {
  const queries: { text: string; values: unknown[] }[] = [];
  // As the service's own pool; a statement that takes longer than 4 s is ended there, and here it counts as that long.
  const pool = new Pool(url, { size: 1, applicationName: 'bench', statementTimeoutMs: 4_000 });
  const session = await keepApart(pool);
  const db = drizzleOn(pool, { logQuery: (text, values) => void queries.push({ text, values }) });
  const time = async ({ filter }: Case, page: PageOf, some: boolean) => {
    const taken: number[] = [];
    const cpuSeconds = () => ownCpuSecondsOf(process.pid) + ownCpuSecondsOf(session);
    const [begun, cpuBefore] = [performance.now(), cpuSeconds()];
    while (taken.length < callsOfEach && (taken.length < 2 || performance.now() - begun < msOfEach)) {
      const started = performance.now();
      const found = await findTrades(db, filter, page).catch(() => undefined);
      taken.push(performance.now() - started);
      if (found && found.length > 0 !== some)
        throw new Error(`found ${found.length} for ${JSON.stringify(filter)}`);
    }
    const cpuMs = ((cpuSeconds() - cpuBefore) * 1_000) / taken.length;
    // The first of them reads what no other has read before.
    return { cpuMs, taken: taken.length > 2 ? taken.slice(1) : taken };
  };
  try {
    // A service has listed pages before. Without that, the filter that is measured first is the slowest, while V8 compiles.
    for (const { filter } of matchingCases())
      for (let call = 0; call < warmUpCalls; call += 1)
        await findTrades(db, filter, { limit, after: undefined });
    const measured: Measured[] = [];
    const look = async (one: Case, page: Measured['page'], after: Position | undefined) => {
      const { taken, cpuMs } = await time(one, { limit, after }, page !== 'nothing');
      const query = queries.at(-1);
      const faults = query ? await faultsOf(url, query) : [];
      measured.push({
        name: one.name,
        page,
        p50: percentile(taken, 0.5),
        p99: percentile(taken, 0.99),
        calls: taken.length,
        cpuMs,
        faults,
      });
    };
    for (const one of matchingCases()) {
      await look(one, 'first', undefined);
      // So many rows lie before the thousandth page, or the last there is.
      const passed = Math.min(Math.round((limit * thousandth) / one.share), Math.round(rows * 0.95));
      await look(one, 'thousandth', positionAt(rows - passed, rows));
    }
    for (const one of emptyCases()) await look(one, 'nothing', undefined);
    return measured;
  } finally {
    await pool.end(1_000);
  }
}

/**
 * Keeps this process and the session of its pool on cores of their own, as what is measured elsewhere. Returns the process
 * of the session.
 */
async function keepApart(pool: Pool): Promise<number> {
  const [row] = (await pool.query({ text: 'select pg_backend_pid() as pid' }, [])) as { pid: number }[];
  if (!row) throw new Error('PostgreSQL has no session');
  keepProcessOn(row.pid, otherCores);
  keepOn(serviceCore);
  return row.pid;
}

function positionAt(place: number, rows: number): Position {
  const { id, createdAt } = tradeAt(place, rows);
  return { createdAt, id: id as TradeId };
}

interface PlanNode {
  'Node Type': string;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Returns what a plan has that makes a page slower the more rows there are. */
async function faultsOf(
  url: string,
  { text, values }: { text: string; values: unknown[] },
): Promise<string[]> {
  return withClient(url, async (sql) => {
    await sql.query("set statement_timeout = '10s'");
    const found = await sql
      .query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `explain (analyze, timing off, format json) ${text}`,
        values,
      )
      .catch(() => undefined);
    const plan = found?.rows[0]?.['QUERY PLAN'][0]?.Plan;
    return plan ? nodesOf(plan).flatMap(faultOf) : ['takes longer than 10 s'];
  });
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

function faultOf({ 'Node Type': type, 'Rows Removed by Filter': removed = 0 }: PlanNode): string[] {
  // An incremental sort orders only rows of the same time, as they are read.
  if (/^(Sort|Seq Scan|Bitmap)/.test(type)) return [type];
  return removed > 10 * limit ? [`${type} that reads ${removed} rows for nothing`] : [];
}
