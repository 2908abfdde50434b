/** `npm run torture:deterministic -- --seed N --runs K`: many short runs in one process, each of which its seed brings back. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Plan, planOf } from './plan.js';
import { runPlanted } from './planted.js';
import { shrink } from './shrink.js';
import type { Outcome, Simulation } from './simulation.js';
import { realNow } from './virtual-time.js';

const { values } = parseArgs({
  options: {
    /** Of the first run; the next ones follow. */
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    runs: { type: 'string', default: '100' },
    /** Ends after so long, whatever is left of the runs. */
    seconds: { type: 'string', default: '86400' },
    /** A plan to carry out instead, as JSON in a file; the seeds decide its order. */
    plan: { type: 'string' },
    /** A fault to plant first. */
    patch: { type: 'string' },
    /** Prints everything that happens, and the hash of each run. */
    history: { type: 'boolean', default: false },
    /** Carries each plan out twice: both times must come to the same, step by step. */
    twice: { type: 'boolean', default: false },
    /** Looks at every seed, whatever fails. */
    all: { type: 'boolean', default: false },
    /** Whether a plan that fails is made smaller. */
    shrink: { type: 'boolean', default: true },
    /** A PostgreSQL that has the migrated database `karat_template`; default: one of its own. */
    postgres: { type: 'string' },
  },
  allowNegative: true,
});

async function main(): Promise<number> {
  if (values.patch !== undefined) {
    const { output, code } = runPlanted(resolve(values.patch), argumentsWithout('--patch'));
    process.stdout.write(output);
    return code;
  }
  // The service is loaded only by those who run it.
  const [{ openWorld }, { Simulation }] = [await import('./world.js'), await import('./simulation.js')];
  // In memory, where there is some: nothing of it has to last.
  if (existsSync('/dev/shm')) process.env.KARAT_TEST_FOLDER ??= '/dev/shm';
  const world = await openWorld(values.postgres);
  try {
    return await runAll(new Simulation(world));
  } finally {
    await world.close();
  }
}

async function runAll(simulation: Simulation): Promise<number> {
  const first = Number.parseInt(values.seed, 10);
  const runs = Number.parseInt(values.runs, 10);
  const beganMs = realNow();
  const seconds = () => (realNow() - beganMs) / 1_000;
  let [done, failed] = [0, 0];
  for (; done < runs && seconds() < Number.parseFloat(values.seconds); done += 1) {
    const seed = first + done;
    const plan = values.plan === undefined ? planOf(seed) : { ...readPlan(values.plan), seed };
    const outcome = await simulation.run(plan);
    if (values.history) console.log([...outcome.history, `${plan.seed} ${outcome.hash}`].join('\n'));
    const again = values.twice ? await simulation.run(plan) : outcome;
    if (again.hash !== outcome.hash) {
      console.log(`NOT THE SAME seed ${plan.seed}: ${differenceOf(outcome.history, again.history)}`);
      return 1;
    }
    if (outcome.broken.length === 0) continue;
    await report(simulation, plan, outcome);
    failed += 1;
    if (!values.all) return 1;
  }
  const perSecond = (done / seconds()).toFixed(1);
  const seeds = `seeds ${first} to ${first + done - 1}, ${perSecond} a second`;
  console.log(failed === 0 ? `green: ${seeds}` : `${failed} failed of ${seeds}`);
  return failed === 0 ? 0 : 1;
}

/** Returns the first line in which two histories differ. */
function differenceOf(one: readonly string[], other: readonly string[]): string {
  const at = one.findIndex((line, n) => line !== other[n]);
  return `line ${at}: ${one[at]?.slice(0, 160)} | ${other[at]?.slice(0, 160)}`;
}

async function report(simulation: Simulation, plan: Plan, { broken }: Outcome): Promise<void> {
  for (const line of broken) console.log(`BROKEN ${line}`);
  console.log(
    `again with --seed ${plan.seed} --runs 1; with --plan FILE, too, that has the plan:\n${JSON.stringify(plan)}`,
  );
  if (!values.shrink) return;
  const rules = new Set(broken.map(ruleOf));
  const smallest = await shrink(plan, async (smaller) =>
    (await simulation.run(smaller)).broken.some((line) => rules.has(ruleOf(line))),
  );
  const { broken: still, history } = await simulation.run(smallest);
  console.log(`a small plan that still fails:\n${JSON.stringify(smallest)}`);
  console.log(`what happens in it:\n${history.map((line) => `  ${line.slice(0, 160)}`).join('\n')}`);
  for (const line of still) console.log(`BROKEN ${line}`);
}

/** The invariant of a line, or what is told apart otherwise. */
const ruleOf = (line: string): string => /^\w+(?=:)/.exec(line)?.[0] ?? line.replace(/\S*[\d#]\S*/g, '');

const readPlan = (file: string): Plan => JSON.parse(readFileSync(file, 'utf8')) as Plan;

function argumentsWithout(name: string): string[] {
  const args = process.argv.slice(2);
  const at = args.indexOf(name);
  return [...args.slice(0, at), ...args.slice(at + 2)];
}

process.exitCode = await main();
// What is open has no more to say.
setTimeout(() => process.exit(), 500).unref();
