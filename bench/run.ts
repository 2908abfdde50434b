/**
 * `npm run bench`: measures everything that docs/performance.md speaks of, prints the table, and writes
 * `bench/results/latest.json` with the chart that is drawn from it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { drawChart } from './chart.js';
import { type BenchOptions, type Figure, report } from './figures.js';
import { describeMachine, requireMachine } from './machine.js';
import { printTable, tableAsMarkdown } from './table.js';
import { build, startWorld, type World } from './world.js';

interface Group {
  measure(world: World, options: BenchOptions): Promise<Figure[]>;
}

/** In the order in which they run. */
const groups: Record<string, () => Promise<Group>> = {
  quotes: () => import('./groups/quotes.js'),
  latency: () => import('./groups/latency.js'),
  signers: () => import('./groups/signers.js'),
  indexer: () => import('./groups/indexer.js'),
  cost: () => import('./groups/cost.js'),
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

/** What says nothing of the service, or needs a package of the system, is measured only where it is named. */
const usual = Object.keys(groups).filter((name) => name !== 'localnet' && name !== 'signers');

const help = `npm run bench -- [groups] [options]

Groups: ${Object.keys(groups).join(', ')} (default: all but localnet and signers)

Options:
  --quick          shorter rounds and smaller tables, to try a change
  --rows N         trades in the table that is listed (10,000,000; quick 200,000)
  --users N        users that the table of users grows to (1,000,000; quick 100,000)
  --minutes N      minutes of full load during which memory is watched (0.3; quick 0.2)
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
  report(`${Math.round((performance.now() - begun) / 1_000)} s`);
}
await world.stop();

const seconds = Math.round((performance.now() - started) / 1_000);
const [at, machine] = [new Date().toISOString(), describeMachine()];
printTable(results);
process.stdout.write(`\n${machine}; ${seconds} s in all\n`);
const out = values.out ?? (quick || positionals.length > 0 ? undefined : 'bench/results');
if (out !== undefined) {
  mkdirSync(out, { recursive: true });
  writeFileSync(
    `${out}/latest.json`,
    `${JSON.stringify({ at, commit: commitOf(), machine, seconds, options, results }, null, 2)}\n`,
  );
  writeFileSync(`${out}/latest.svg`, drawChart(results));
  const title = `Measured on ${at.slice(0, 10)} with ${machine}, in ${seconds} s, by \`npm run bench\`.`;
  writeFileSync(`${out}/latest.md`, tableAsMarkdown(title, results));
  process.stdout.write(`written to ${out}/latest.json, latest.md and latest.svg\n`);
}
if (failures.length > 0) process.stdout.write(`not measured: ${failures.join(', ')}\n`);
process.exit(failures.length > 0 ? 1 : 0);
