/** `npm run torture:faults`: whether each planted fault is found, and by which seed. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildService } from './build.js';
import { History } from './history.js';
import { scheduleOf } from './schedule.js';
import { torture } from './torture.js';

const planted = fileURLToPath(new URL('faults/', import.meta.url));
/** After so long a fault counts as not found. */
const withinMs = 600_000;
/** What is late counts as found only after this. */
const lateAfterMs = 60_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '1' },
  },
});

/** Plants a fault and runs one seed after the other until it is found, or its time is up. Returns a line about it. */
async function find(name: string): Promise<{ line: string; found: boolean }> {
  const built = await buildService([join(planted, name)]);
  const startMs = performance.now();
  const seconds = () => Math.round((performance.now() - startMs) / 1_000);
  try {
    for (let seed = Number.parseInt(values.seed, 10); performance.now() - startMs < withinMs; seed += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'karat-torture-'));
      const history = new History(join(folder, 'history.jsonl'));
      const schedule = scheduleOf(seed, Number.parseFloat(values.minutes));
      const { broken } = await torture(schedule, {
        ...{ script: built.script, folder, history },
        withinMs: lateAfterMs,
      });
      const [first] = broken;
      if (first) return { found: true, line: `found by seed ${seed} after ${seconds()} s: ${first}` };
    }
    return { found: false, line: `not found in ${seconds()} s` };
  } finally {
    built.remove();
  }
}

for (const name of readdirSync(planted).filter((file) => file.includes(values.only))) {
  const { line, found } = await find(name);
  console.log(`${name.replace('.patch', '').padEnd(22)} ${line}`);
  if (!found) process.exitCode = 1;
}
setTimeout(() => process.exit(), 2_000).unref();
