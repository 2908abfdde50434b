/** The same form of torture over a copy of the source with a fault in it. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('../../..', import.meta.url));
const copied = [
  'packages/service/src',
  'packages/service/test',
  'bench/torture',
  'bench/world.ts',
  'bench/machine.ts',
];

/** Applies a patch to a copy, and runs this form there with these arguments. Returns what it printed, and its exit code. */
export function runPlanted(patch: string, args: readonly string[]): { output: string; code: number } {
  const copy = mkdtempSync(join(tmpdir(), 'karat-planted-'));
  try {
    for (const part of copied) cpSync(join(home, part), join(copy, part), { recursive: true });
    for (const folder of ['', 'packages', 'packages/service', 'bench']) {
      mkdirSync(join(copy, folder), { recursive: true });
      for (const name of readdirSync(join(home, folder)))
        if (name !== '.git' && !existsSync(join(copy, folder, name)))
          symlinkSync(join(home, folder, name), join(copy, folder, name));
    }
    const applied = spawnSync('git', ['apply', patch], { cwd: copy, encoding: 'utf8' });
    if (applied.status !== 0) throw new Error(`the patch ${patch} does not apply: ${applied.stderr}`);
    const script = join(copy, 'bench/torture/deterministic/run.ts');
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--conditions=source', '--import', 'tsx', script, ...args],
      { cwd: copy, encoding: 'utf8' },
    );
    return { output: `${stdout}${stderr}`, code: status ?? 1 };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
