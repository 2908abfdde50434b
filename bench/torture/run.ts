/** `npm run torture -- --seed N --minutes M`: a deployment under random faults, and one verdict. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildService } from './build.js';
import { check, type TortureVerdict } from './check.js';
import { History } from './history.js';
import { Nemesis } from './nemesis.js';
import { Random } from './random.js';
import { scheduleOf } from './schedule.js';
import { Workload } from './workload.js';
import { startWorld } from './world.js';

const users = 8;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    minutes: { type: 'string', default: '2' },
    within: { type: 'string', default: '60' },
    patch: { type: 'string' },
    'print-schedule': { type: 'boolean', default: false },
    'no-faults': { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  const seed = Number.parseInt(values.seed, 10);
  const minutes = Number.parseFloat(values.minutes);
  const { operations, faults: planned } = scheduleOf(seed, minutes, users);
  const faults = values['no-faults'] ? [] : planned;
  if (values['print-schedule']) {
    for (const line of [...operations, ...faults].sort((a, b) => a.atMs - b.atMs))
      console.log(JSON.stringify(line));
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'karat-torture-'));
  const history = new History(join(folder, 'history.jsonl'));
  history.write({ seed, minutes, patch: values.patch ?? null });
  console.log(`seed ${seed}, ${minutes} minutes, history and logs in ${folder}`);
  const built = await buildService(values.patch && resolve(values.patch));
  const world = await startWorld(built.script, folder);
  try {
    const workload = new Workload(world, history, new Random(seed, 'receiver'));
    const nemesis = new Nemesis(world, history);
    const startMs = performance.now();
    const steps = [
      ...operations.map((operation, n) => ({
        atMs: operation.atMs,
        begin: () => workload.begin(operation, n),
      })),
      ...faults.map((fault, n) => ({ atMs: fault.atMs, begin: () => nemesis.begin(fault, n) })),
    ].sort((a, b) => a.atMs - b.atMs);
    for (const { atMs, begin } of steps) {
      await pause(Math.max(0, atMs - (performance.now() - startMs)));
      begin();
    }
    await nemesis.ended();
    await workload.ended();
    const verdict = await check(world, workload.acknowledged, Number.parseFloat(values.within) * 1_000);
    history.write({ verdict });
    console.log(
      `${workload.operations} operations, ${workload.acknowledged.length} acknowledged, ${workload.failed} failed for their callers; ${faults.length} faults`,
    );
    return print(verdict, `--seed ${seed} --minutes ${minutes}`);
  } finally {
    await world.stop();
    built.remove();
  }
}

/** Prints the verdict, and returns the exit code: 1 for what is broken, 3 when that could not be said. */
function print({ broken, open, tookMs }: TortureVerdict, again: string): number {
  for (const line of broken) console.log(`BROKEN ${line}`);
  for (const line of open) console.log(`open   ${line}`);
  const seconds = Math.round(tookMs / 1_000);
  if (broken.length > 0) console.log(`BROKEN ${seconds} s after the last fault; again with ${again}`);
  else if (open.length > 0)
    console.log(`no verdict ${seconds} s after the last fault: not everything responds`);
  else console.log(`green ${seconds} s after the last fault`);
  return broken.length > 0 ? 1 : open.length > 0 ? 3 : 0;
}

process.exitCode = await main();
// Whatever is still open: what was printed has had time to be read.
setTimeout(() => process.exit(), 2_000).unref();
