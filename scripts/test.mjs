// `npm test`: runs every suite and closes with one line of real counts, `N passed, N failed`.
// A file that cannot be loaded, or an error outside any test, counts as a failure: it must never read as success.
// The JSON report of a whole run is kept at KARAT_TEST_REPORT, where that is set; runs of a part of the suites keep none.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'karat-test-'));
const report = join(folder, 'report.json');
// Not for the services that tests start: they refuse settings that they do not know.
const { KARAT_TEST_REPORT: keptReport, ...env } = process.env;
// What tests leave in the folder for temporary files goes with it. PostgreSQL, which has a user of its own, finds its files there.
chmodSync(folder, 0o711);
env.TMPDIR = folder;
const selection = process.argv.slice(2);
// Workers that all suites share load the service once.
if (selection.length === 0) env.KARAT_TEST_TOGETHER = '1';
const run = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...selection,
  ],
  { stdio: 'inherit', env },
);

let passed = 0;
let failed = 0;
try {
  const result = JSON.parse(readFileSync(report, 'utf8'));
  for (const suite of result.testResults) {
    const tests = suite.assertionResults;
    passed += tests.filter((test) => test.status === 'passed').length;
    failed += tests.filter((test) => test.status !== 'passed').length; // skipped and todo are not green
    if (suite.status === 'failed' && !tests.some((test) => test.status === 'failed')) failed += 1;
  }
  if (keptReport && selection.length === 0) copyFileSync(report, keptReport);
} catch (error) {
  console.error(`The test report could not be read: ${error.message}`);
}
// A process that has just been ended may still be writing there.
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

if (failed === 0 && (passed === 0 || run.status !== 0)) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
