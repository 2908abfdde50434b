/** Prints the worst of several game days, with the least of them: worst.ts FILE..., as game-day.ts `--out` writes them. */
import { readFileSync } from 'node:fs';
import type { Day, Row } from './game-day.js';

const days = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Day);
const spread = (values: number[], show: (value: number) => string) => {
  const [least, worst] = [show(Math.min(...values)), show(Math.max(...values))];
  return least === worst ? worst : `${worst} (${least})`;
};
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

console.log('| Step | Reads | Writes | Slowest | Failed | Whole again after |\n|---|---|---|---|---|---|');
for (const { step } of days[0]?.rows ?? []) {
  const rows = days.flatMap((day) => day.rows.filter((row) => row.step === step));
  const of = (field: (row: Row) => number, show: (value: number) => string) => spread(rows.map(field), show);
  const cells = [
    of((row) => row.readsMs, seconds),
    of((row) => row.writesMs, seconds),
    of((row) => row.slowestMs, seconds),
    of((row) => row.failures, String),
    of((row) => row.wholeMs, seconds),
  ];
  console.log(`| ${[step, ...cells].join(' | ')} |`);
}
const sum = (field: (day: Day) => number) => days.reduce((total, day) => total + field(day), 0);
const loads = days.flatMap(({ loadAverages }) => loadAverages).map(Math.round);
console.log(
  `\n${days.length} days, of which ${sum(({ isRight }) => Number(isRight))} were right; ${sum(({ submitted }) => submitted)} transactions; ` +
    `${spread(
      days.map(({ tookSeconds }) => tookSeconds),
      (value) => `${value} s`,
    )} each; load average ${Math.min(...loads)} to ${Math.max(...loads)}`,
);
for (const [n, { rows, wrong }] of days.entries()) {
  for (const what of wrong) console.log(`day ${n + 1}: WRONG ${what}`);
  for (const { step, isWithin, note } of rows)
    if (!isWithin) console.log(`day ${n + 1}: ${step}: ${note || 'took too long'}`);
}
