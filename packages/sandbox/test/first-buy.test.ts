import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killAtEnd, newStateDir, root, run, startSandbox } from './harness.js';

/** The shell commands of a page: its ```sh blocks, in their order. */
function commandsOf(page: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((block) => block[1]).join('\n');
}

test('docs/first-buy.md, followed literally, buys gold', { timeout: 120_000 }, async () => {
  const stateDir = newStateDir();
  const sandbox = killAtEnd(startSandbox(stateDir));
  await sandbox.printed('Karat is ready');
  const shell = run('bash', ['-euo', 'pipefail', '-c', commandsOf('docs/first-buy.md')], {
    KARAT_STATE_DIR: stateDir,
  });
  expect([await shell.exit, shell.output()]).toEqual([0, expect.stringContaining('"tx_hash"')]);
  const trade = JSON.parse(shell.output().trim().split('\n').at(-1) ?? '');
  expect(trade).toMatchObject({ side: 'buy', status: 'confirmed', usdc_amount: 100, fee_usd: 0.5 });
});

test('the script of docs/first-buy.md is as short as the page says', () => {
  const lines = readFileSync(join(root, 'examples/first-buy.mjs'), 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(30);
});
