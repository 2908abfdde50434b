// Checks and tests the SDKs of other languages against a sandbox of their own: packages/sdk-*/check, each for itself.
//   node scripts/sdks.mjs           all of them
//   node scripts/sdks.mjs python    those that are named
// Each installs what its language needs. Fails when one of them does.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from './test-sandbox.mjs';

const packages = join(import.meta.dirname, '..', 'packages');
const all = readdirSync(packages)
  .filter((name) => name.startsWith('sdk-') && existsSync(join(packages, name, 'check')))
  .map((name) => name.slice('sdk-'.length));
const wanted = process.argv.length > 2 ? process.argv.slice(2) : all;
const unknown = wanted.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`There is no SDK ${unknown}; there are ${all.join(', ')}.`);
  process.exit(2);
}

const state = mkdtempSync(join(tmpdir(), 'karat-sdks-'));
const sandbox = await startSandbox(state);
const failed = [];
try {
  for (const name of wanted) {
    console.log(`-- ${name}`);
    const env = { ...process.env, KARAT_SANDBOX_STATE: state };
    const { status } = spawnSync(join(packages, `sdk-${name}`, 'check'), { stdio: 'inherit', env });
    if (status !== 0) failed.push(name);
  }
} finally {
  await sandbox.stop();
  rmSync(state, { recursive: true, force: true });
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}.`);
  process.exit(1);
}
