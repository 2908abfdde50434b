/**
 * `npm run bench`: measures everything that docs/performance.md speaks of, prints the table, and writes
 * `bench/results/latest.json` with the chart that is drawn from it, and the table of docs/performance.md.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { drawChart } from './chart.js';
import { type BenchOptions, type Figure, report } from './figures.js';
import { describeMachine, requireMachine } from './machine.js';
import { printTable, tableAsMarkdown, withFigures } from './table.js';
import { build, startWorld, type World } from './world.js';

interface Group {
  measure(world: World, options: BenchOptions): Promise<Figure[]>;
}

/** In the order in which they run. */
const groups: Record<string, () => Promise<Group>> = {
  quotes: () => import('./groups/quotes.js'),
  latency: () => import('./groups/latency.js'),
  signers: () => import('./groups/signers.js'),
  // Before the indexer has a chain with thousands of trades, which would take what is measured as idle.
  cost: () => import('./groups/cost.js'),
  indexer: () => import('./groups/indexer.js'),
  scale: () => import('./groups/scale.js'),
  events: () => import('./groups/events.js'),
  webhooks: () => import('./groups/webhooks.js'),
  growth: () => import('./groups/growth.js'),
  memory: () => import('./groups/memory.js'),
  lists: () => import('./groups/lists.js'),
  requests: () => import('./groups/requests.js'),
  reserves: () => import('./groups/reserves.js'),
  reconcile: () => import('./groups/reconcile.js'),
  localnet: () => import('./groups/localnet.js'),
};

/**
 * Measured only where they are named, so that all others take about a quarter of an hour: what says nothing of the service or
 * needs a package of the system, and what changes seldom.
 */
const named = ['localnet', 'signers', 'growth', 'requests', 'reconcile', 'scale'];
const usual = Object.keys(groups).filter((name) => !named.includes(name));

/** Where the results of everything are written, and the page whose table they are. */
const usualOut = 'bench/results';
const performancePage = 'docs/performance.md';

const help = `npm run bench -- [groups] [options]

Groups: ${Object.keys(groups).join(', ')} (default: all but ${named.join(', ')})

Options:
  --quick          shorter rounds and smaller tables, to try a change
  --rows N         trades in the table that is listed (10,000,000; quick 200,000)
  --users N        users that the table of users grows to (1,000,000; quick 100,000)
  --minutes N      minutes of full load during which memory is watched (0.3; quick 0.2; the requirement is for 30)
  --out FOLDER     where results are written (bench/results; quick: nowhere)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rows: { type: 'string' },
    users: { type: 'string' },
    minutes: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !(name in groups));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`There is no group ${unknown.join(', ')}.\n\n`);
  process.stdout.write(help);
  process.exit(values.help ? 0 : 2);
}

const { quick } = values;
const options: BenchOptions = {
  quick,
  rows: Number(values.rows ?? (quick ? 200_000 : 10_000_000)),
  users: Number(values.users ?? (quick ? 100_000 : 1_000_000)),
  minutes: Number(values.minutes ?? (quick ? 0.2 : 0.3)),
};
const wanted = positionals.length > 0 ? positionals : usual;

requireMachine();
const started = performance.now();
build();
/** Returns what was measured, as far as git knows it. */
function commitOf(): string | null {
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

const world = await startWorld();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void world.stop().finally(() => process.exit(1)));
}
const results: Record<string, Figure[]> = {};
/** Seconds that each group took. */
const took: Record<string, number> = {};
const failures: string[] = [];
for (const [name, load] of Object.entries(groups)) {
  if (!wanted.includes(name)) continue;
  const begun = performance.now();
  process.stderr.write(`${name}\n`);
  try {
    results[name] = await (await load()).measure(world, options);
  } catch (error) {
    // One that cannot be measured takes nothing from the others.
    failures.push(name);
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  took[name] = Math.round((performance.now() - begun) / 1_000);
  report(`${took[name]} s`);
}
await world.stop();

const seconds = Math.round((performance.now() - started) / 1_000);
const [at, machine] = [new Date().toISOString(), describeMachine()];
printTable(results);
const parts = Object.entries(took).map(([name, taken]) => `${name} ${taken}`);
process.stdout.write(`\n${machine}; ${seconds} s in all: ${parts.join(', ')}\n`);
const out = values.out ?? (quick || positionals.length > 0 ? undefined : usualOut);
if (out !== undefined) {
  mkdirSync(out, { recursive: true });
  writeFileSync(
    `${out}/latest.json`,
    `${JSON.stringify({ at, commit: commitOf(), machine, seconds, took, options, results }, null, 2)}\n`,
  );
  writeFileSync(`${out}/latest.svg`, drawChart(results));
  const title = `Measured on ${at.slice(0, 10)} with ${machine}, in ${seconds} s, by \`npm run bench\`.`;
  writeFileSync(`${out}/latest.md`, tableAsMarkdown(title, results));
  if (out === usualOut) {
    const page = readFileSync(performancePage, 'utf8');
    writeFileSync(performancePage, withFigures(page, title, results));
  }
  process.stdout.write(`written to ${out}/latest.json, latest.md and latest.svg\n`);
}
if (failures.length > 0) process.stdout.write(`not measured: ${failures.join(', ')}\n`);
process.exit(failures.length > 0 ? 1 : 0);
