/** `npm run torture:faults`: which form finds each planted fault, by which seed, and how soon. No schedule is made for a fault. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildService } from './build.js';
import { runPlanted } from './deterministic/planted.js';
import { History } from './history.js';
import { scheduleOf } from './schedule.js';
import { torture } from './torture.js';

const planted = fileURLToPath(new URL('faults/', import.meta.url));
/** What is late counts as found only after this. */
const lateAfterMs = 60_000;

const { values } = parseArgs({
  options: {
    /** Plants those alone whose names contain it. */
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    /** How long each run with real processes takes. */
    minutes: { type: 'string', default: '1' },
    /** After so long with one form, a fault is looked for with the other one. */
    seconds: { type: 'string', default: '600' },
    /** `deterministic` or `real`; default: one after the other, until one finds it. */
    form: { type: 'string', multiple: true, default: ['deterministic', 'real'] },
    /** For the deterministic form: a PostgreSQL that has the migrated database `karat_template`. */
    postgres: { type: 'string' },
  },
});

/** The seed that found a fault, and what was broken by it. */
interface Found {
  seed: string;
  broken: string;
}

async function findWithProcesses(patch: string, seconds: () => number): Promise<Found | undefined> {
  const built = await buildService([patch]);
  try {
    for (let seed = Number.parseInt(values.seed, 10); seconds() < Number(values.seconds); seed += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'karat-torture-'));
      const history = new History(join(folder, 'history.jsonl'));
      const options = { script: built.script, folder, history, withinMs: lateAfterMs };
      const { broken } = await torture(scheduleOf(seed, Number.parseFloat(values.minutes)), options);
      if (broken[0]) return { seed: String(seed), broken: broken[0] };
    }
    return undefined;
  } finally {
    built.remove();
  }
}

function findInOneProcess(patch: string): Found | undefined {
  const args = ['--seed', values.seed, '--runs', '1000000', '--seconds', values.seconds, '--no-shrink'];
  const { output, code } = runPlanted(patch, [
    ...args,
    ...(values.postgres ? ['--postgres', values.postgres] : []),
  ]);
  const seed =
    /^again with --seed (\d+) --runs 1.*\n\{"seed":\1,"operations":\[.*\],"faults":\[.*\]\}$/m.exec(
      output,
    )?.[1];
  const broken = /^BROKEN (.*)/m.exec(output)?.[1];
  if (seed && broken) return { seed, broken };
  if (code !== 0) throw new Error(output);
  return undefined;
}

for (const file of readdirSync(planted).filter((name) => name.includes(values.only))) {
  let isFound = false;
  for (const form of values.form) {
    const startMs = performance.now();
    const seconds = () => Math.round((performance.now() - startMs) / 1_000);
    const patch = join(planted, file);
    const found = form === 'real' ? await findWithProcesses(patch, seconds) : findInOneProcess(patch);
    const what = found
      ? `found by seed ${found.seed} after ${seconds()} s: ${found.broken}`
      : `not found in ${seconds()} s`;
    console.log(`${file.replace('.patch', '').padEnd(26)} ${form.padEnd(13)} ${what}`);
    isFound = found !== undefined;
    if (isFound) break;
  }
  if (!isFound) process.exitCode = 1;
}
setTimeout(() => process.exit(), 2_000).unref();
