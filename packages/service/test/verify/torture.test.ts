import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';

const home = fileURLToPath(new URL('../../../../', import.meta.url));
/** It starts a node, and loads the service, on a machine that may be busy. */
const slow = 240_000;

/** Runs the deterministic form of the torture; resolves with what it printed, and its exit code. */
function torture(...args: string[]): Promise<{ output: string; code: unknown }> {
  const script = ['--conditions=source', '--import', 'tsx', 'bench/torture/deterministic/run.ts'];
  return new Promise((resolve) => {
    const all = [...script, '--postgres', inject('postgresUrl'), ...args];
    execFile(process.execPath, all, { cwd: home }, (error, stdout, stderr) =>
      resolve({ output: `${stdout}${stderr}`, code: error ? error.code : 0 }),
    );
  });
}

test('torture: a seed gives the same run twice, step by step', { timeout: slow }, async () => {
  const { output, code } = await torture('--seed', '42', '--runs', '1', '--twice');
  expect([code, output]).toEqual([0, expect.stringMatching(/^green: seeds 42 to 42, /)]);
});

test('torture: a fault that was planted is found, and printed as a plan that fails again', {
  timeout: slow,
}, async () => {
  const planted = ['--patch', 'bench/torture/faults/moves-not-kept.patch'];
  const { output, code } = await torture(...planted, '--seed', '1', '--runs', '100', '--no-shrink');
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/^BROKEN transitions: redemptions red_\S+ is cancelled; its last move was to /m),
  ]);
  expect(output).toMatch(
    /^again with --seed (\d+) --runs 1.*\n\{"seed":\1,"operations":\[.*\],"faults":\[.*\]\}$/m,
  );
});
