/** `npm run torture -- --seed N --minutes M`: a deployment under random faults, and one verdict. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildService } from './build.js';
import { canMoveClocks } from './clocks.js';
import { History } from './history.js';
import { linesOf, readSchedule, type Schedule, scheduleOf } from './schedule.js';
import { shrink } from './shrink.js';
import { type Outcome, torture } from './torture.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    minutes: { type: 'string', default: '2' },
    within: { type: 'string', default: '60' },
    schedule: { type: 'string' },
    patch: { type: 'string', multiple: true, default: [] },
    'print-schedule': { type: 'boolean', default: false },
    'no-faults': { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});

function readArguments(): Schedule {
  const { seed, minutes, schedule: file } = values;
  const schedule = file
    ? readSchedule(readFileSync(file, 'utf8'))
    : scheduleOf(Number.parseInt(seed, 10), Number.parseFloat(minutes));
  return values['no-faults'] ? { ...schedule, faults: [] } : schedule;
}

async function main(): Promise<number> {
  const schedule = readArguments();
  if (values['print-schedule']) {
    console.log(linesOf(schedule).join('\n'));
    return 0;
  }
  const { seed, minutes } = schedule;
  const folder = mkdtempSync(join(tmpdir(), 'karat-torture-'));
  const history = new History(join(folder, 'history.jsonl'));
  history.write({ seed, minutes, patches: values.patch });
  if (!canMoveClocks) console.log('libfaketime is not installed: no clock jumps');
  console.log(`seed ${seed}, ${minutes} minutes, history and logs in ${folder}`);
  const built = await buildService(values.patch.map((file) => resolve(file)));
  const withinMs = Number.parseFloat(values.within) * 1_000;
  const run = (one: Schedule) => torture(one, { script: built.script, folder, history, withinMs });
  try {
    const outcome = await run(schedule).catch((error: unknown) => {
      console.log(
        `no verdict: the deployment did not start, or not all of it was looked at: ${error}`.slice(0, 500),
      );
      return undefined;
    });
    if (!outcome) return 3;
    const code = print(outcome);
    if (code !== 1) return code;
    console.log(`again with --seed ${seed} --minutes ${minutes}`);
    if (values.shrink) {
      const file = join(folder, 'schedule.jsonl');
      const small = await shrink(schedule, async (one) => print(await run(one)) === 1);
      writeFileSync(file, `${linesOf(small).join('\n')}\n`);
      console.log(`${small.faults.length} faults are enough:`);
      for (const fault of small.faults) console.log(`  ${JSON.stringify(fault)}`);
      console.log(`again with --schedule ${file}`);
    }
    return code;
  } finally {
    built.remove();
  }
}

/** Prints the verdict, and returns the exit code: 1 for what is broken, 3 when that could not be said. */
function print(outcome: Outcome): number {
  const { broken, late, open, tookMs, share, took, ...counts } = outcome;
  console.log(
    `${counts.operations} operations, ${counts.acknowledged} acknowledged, ${counts.failed} failed for their callers; ${counts.faults} faults`,
  );
  const seconds = (ms: number) => (ms / 1_000).toFixed(ms < 10_000 ? 2 : 0);
  const times = Object.entries(took).map(([name, ms]) => `${name} ${seconds(ms)}`);
  console.log(`seconds to check: ${times.join(', ')}`);
  for (const line of broken) console.log(`BROKEN ${line}`);
  for (const line of late) console.log(`LATE   ${line}`);
  for (const line of open) console.log(`open   ${line}`);
  const after = `${seconds(tookMs)} s after the last fault, with ${Math.round(share * 100)} % of the time that it wanted`;
  if (broken.length + late.length > 0) console.log(`BROKEN ${after}`);
  else if (open.length > 0) console.log(`no verdict ${after}`);
  else console.log(`green ${after}`);
  return broken.length + late.length > 0 ? 1 : open.length > 0 ? 3 : 0;
}

process.exitCode = await main();
// Whatever is still open: what was printed has had time to be read.
setTimeout(() => process.exit(), 2_000).unref();
